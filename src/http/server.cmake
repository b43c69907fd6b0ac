# The listening side of the HTTP kit and its tests.
consentry_library(consentry_http_server
  SOURCES chunk_decoder.cpp connection.cpp connection_answers.cpp fair_shares.cpp head_parser.cpp listeners.cpp message_reader.cpp request.cpp response.cpp
          response_writer.cpp server.cpp
  LINKS consentry_base)

consentry_test(consentry_http_server_tests
  SOURCES chunk_decoder_test.cpp deadlines_test.cpp fair_shares_test.cpp message_reader_test.cpp response_test.cpp server_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/http/web_admission_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/http/web_deadlines_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/http/web_reader_test.cpp
  LINKS consentry_http_server)
