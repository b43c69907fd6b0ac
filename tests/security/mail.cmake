# Mails: from the change they tell of to the reader's mail program. With a real mail server beside them.
consentry_test(consentry_security_mail_tests
  SOURCES mail_delivery_test.cpp mail_instances_test.cpp mail_render_test.cpp mail_server_test.cpp mail_smtp_test.cpp
          ../support/mail_server.cpp
  LINKS consentry_test_support
  ENGINES
  ALSO_ON_SHARED_ENGINES)
target_compile_definitions(consentry_security_mail_tests PRIVATE CONSENTRY_REAL_SERVERS="${PROJECT_SOURCE_DIR}/tests/real")
