# Accounts: what their owners, administrators and providers of identities do with them.

# Files and streams, on the HTTP kit alone.
consentry_test(consentry_security_transfer_tests
  SOURCES streaming_test.cpp upload_test.cpp
  LINKS consentry_http)

# What administrators do.
consentry_test(consentry_security_administration_tests
  SOURCES administration_test.cpp administration_lists_test.cpp administration_transfer_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)
target_compile_definitions(consentry_security_administration_tests PRIVATE
  CONSENTRY_SEARCH_INDEX="${PROJECT_SOURCE_DIR}/docs/deploy/search-index.sql")

# Accounts in their owners' hands: sign-up, verification, recovery, profile, export, deletion.
consentry_test(consentry_security_account_tests
  SOURCES account_calls.cpp deletion_test.cpp factor_calls.cpp profile_test.cpp recovery_factor_test.cpp recovery_test.cpp
          session_ends_test.cpp sign_up_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)

# Logins with identity tokens; the providers are node.
consentry_test(consentry_security_social_tests
  SOURCES consent_calls.cpp factor_calls.cpp ../support/identity_provider.cpp
          social_accounts_test.cpp social_factors_test.cpp social_keys_test.cpp social_tokens_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)
target_compile_definitions(consentry_security_social_tests PRIVATE CONSENTRY_REAL_SERVERS="${PROJECT_SOURCE_DIR}/tests/real")

# Accounts that are brought in.
consentry_test(consentry_security_import_tests
  SOURCES import_csv_test.cpp import_rows_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)

# What the contract says of bodies, answers, accounts and sessions.
consentry_test(consentry_security_contract_tests
  SOURCES account_calls.cpp consent_calls.cpp contract_accounts_test.cpp contract_answers_test.cpp
          contract_input_test.cpp factor_calls.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)
