# Passwords, second factors, challenges, input and their races, tested through the front door.
consentry_test(consentry_security_factor_tests
  SOURCES factor_calls.cpp ../support/identity_provider.cpp
          password_login_test.cpp password_load_test.cpp password_change_test.cpp
          two_factor_lock_test.cpp two_factor_code_test.cpp two_factor_notices_test.cpp two_factor_state_test.cpp password_time_test.cpp
          challenge_life_test.cpp input_field_test.cpp input_text_test.cpp race_factor_test.cpp clock_steps_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)
target_compile_definitions(consentry_security_factor_tests PRIVATE CONSENTRY_REAL_SERVERS="${PROJECT_SOURCE_DIR}/tests/real")
