# Tokens, sessions, what is at rest, who may do what, and the document that says so.
consentry_test(consentry_security_token_tests
  SOURCES authorization_headers_test.cpp authorization_paths_test.cpp authorization_table_test.cpp crypto_storage_secrets_test.cpp
          openapi_answers_test.cpp openapi_document_test.cpp openapi_page_test.cpp session_checks_test.cpp session_refresh_test.cpp
          token_claims_test.cpp token_forging_test.cpp token_keys_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)

# Grants and what ends them.
consentry_test(consentry_security_generation_tests
  SOURCES account_calls.cpp consent_calls.cpp epoch_test.cpp factor_calls.cpp generations_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)
