# Term policies.

# Acceptance, withdrawal, and the guard that asks for it.
consentry_test(consentry_security_consent_tests
  SOURCES acceptance_races_test.cpp acceptance_test.cpp account_calls.cpp consent_calls.cpp consent_guard_test.cpp consent_sign_up_test.cpp
          factor_calls.cpp policy_calls.cpp repeated_requests_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)

# Drafts, publication, what is left over of both, the list, and mails about it.
consentry_test(consentry_security_policy_tests
  SOURCES announcements_test.cpp drafts_test.cpp policy_calls.cpp policy_list_test.cpp publication_test.cpp
          sweeping_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)

# A publication that is killed at every step: by a program of its own, beside a service on the same folder.
if(BUILD_TESTING)
  add_executable(consentry_interrupted_publisher interrupted_publisher.cpp)
  target_link_libraries(consentry_interrupted_publisher PRIVATE consentry_test_support)
endif()
consentry_test(consentry_publication_crash_tests
  SOURCES policy_calls.cpp publication_crash_test.cpp ../support/process.cpp
  LINKS consentry_test_support)
if(BUILD_TESTING)
  target_compile_definitions(consentry_publication_crash_tests PRIVATE
    CONSENTRY_PROGRAM="$<TARGET_FILE:consentry_interrupted_publisher>")
  add_dependencies(consentry_publication_crash_tests consentry_interrupted_publisher)
endif()
