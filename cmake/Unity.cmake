# Compiles the files of a target sixteen at a time. Most of the time of a file goes to headers and templates that its
# neighbors need as well, so a build from nothing takes half as long. In return, a name outside of functions, even in an
# unnamed namespace, must stand once in a target; -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 shows every name that does not.
# -DCMAKE_UNITY_BUILD=OFF compiles each file by itself; `script/lint` does so.
option(CMAKE_UNITY_BUILD "Compile several files of a target at a time" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16 CACHE STRING "How many files of a target are compiled at a time; 0: all of them")
