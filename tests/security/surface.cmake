# What all endpoints share: logs, lists, limits, framing, keys, the document.

# The listening side beside nginx and node.
consentry_test(consentry_security_framing_tests
  SOURCES framing_characters.cpp framing_chunks.cpp framing_fields.cpp framing_lengths.cpp framing_lines.cpp
          framing_sequences.cpp framing_test.cpp slow_peers_test.cpp ../support/http_readers.cpp
  LINKS consentry_http_server consentry_test_engines fmt::fmt)
target_compile_definitions(consentry_security_framing_tests PRIVATE CONSENTRY_REAL_SERVERS="${PROJECT_SOURCE_DIR}/tests/real")

# The edge: origins, proxies, limits, headers, codings.
consentry_test(consentry_security_edge_tests
  SOURCES admission_test.cpp cors_test.cpp rate_limit_test.cpp web_surface_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)

# Lists: numbers, order, cursors, walks.
consentry_test(consentry_security_paging_tests
  SOURCES activity_log_test.cpp paging_cursor_test.cpp paging_numbers_test.cpp paging_walk_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)

# The log, its redaction and its faults; the security event stream; error tracking; cleaning up.
consentry_test(consentry_security_log_tests
  SOURCES audit_test.cpp bounded_events_test.cpp clean_up_test.cpp log_events_test.cpp log_faults_test.cpp log_redaction_test.cpp log_tracking_test.cpp
  LINKS consentry_test_support)

# The doors of others: forward auth, alone and behind a real nginx; metrics; the health of the parts.
consentry_test(consentry_security_doors_tests
  SOURCES consent_calls.cpp factor_calls.cpp forward_auth_test.cpp health_test.cpp metrics_test.cpp nginx_forward_auth_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)
target_compile_definitions(consentry_security_doors_tests PRIVATE CONSENTRY_REAL_SERVERS="${PROJECT_SOURCE_DIR}/tests/real")

# Roles and their abilities; feature flags.
consentry_test(consentry_security_roles_tests
  SOURCES feature_flags_test.cpp roles_guard_test.cpp roles_management_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)

# API keys.
consentry_test(consentry_security_keys_tests
  SOURCES api_keys_management_test.cpp api_keys_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)

# The addresses of files.
consentry_test(consentry_security_files_tests SOURCES files_test.cpp LINKS consentry_test_support)

# Who makes a change: proven again inside the change, and a short while ago where the change asks for it.
consentry_test(consentry_security_actor_tests
  SOURCES account_calls.cpp actors_test.cpp factor_calls.cpp freshness_test.cpp
  LINKS consentry_test_support
  ALSO_ON_SHARED_ENGINES)
