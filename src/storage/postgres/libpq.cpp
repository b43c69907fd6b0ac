// Defines the functions of libpq-fe.h that this program calls. Each hands its call to libpq, which the first of them
// loads: a service on SQLite never maps libpq, nor Kerberos and LDAP, which come with it.
//
// The names and types are those of the header, so callers include it as usual, and the compiler compares every
// definition with its declaration.
#include <libpq-fe.h>

#include "base/shared_library.hpp"

namespace consentry::storage::postgres {
namespace {

struct Libpq {
    SharedLibrary library{"libpq.so.5", "libpq5"};
    decltype(&PQconnectdbParams) connect_params = library["PQconnectdbParams"];
    decltype(&PQfinish) finish = library["PQfinish"];
    decltype(&PQconndefaults) default_options = library["PQconndefaults"];
    decltype(&PQconninfoParse) parse_options = library["PQconninfoParse"];
    decltype(&PQconninfoFree) free_options = library["PQconninfoFree"];
    decltype(&PQstatus) status = library["PQstatus"];
    decltype(&PQhost) host = library["PQhost"];
    decltype(&PQhostaddr) host_address = library["PQhostaddr"];
    decltype(&PQport) port = library["PQport"];
    decltype(&PQserverVersion) server_version = library["PQserverVersion"];
    decltype(&PQerrorMessage) error_message = library["PQerrorMessage"];
    decltype(&PQsocket) socket = library["PQsocket"];
    decltype(&PQsetNoticeProcessor) set_notice_processor = library["PQsetNoticeProcessor"];
    decltype(&PQexec) execute = library["PQexec"];
    decltype(&PQexecParams) execute_params = library["PQexecParams"];
    decltype(&PQsendQuery) send_query = library["PQsendQuery"];
    decltype(&PQsendQueryParams) send_query_params = library["PQsendQueryParams"];
    decltype(&PQsendPrepare) send_prepare = library["PQsendPrepare"];
    decltype(&PQsendQueryPrepared) send_query_prepared = library["PQsendQueryPrepared"];
    decltype(&PQgetResult) get_result = library["PQgetResult"];
    decltype(&PQisBusy) is_busy = library["PQisBusy"];
    decltype(&PQconsumeInput) consume_input = library["PQconsumeInput"];
    decltype(&PQenterPipelineMode) enter_pipeline_mode = library["PQenterPipelineMode"];
    decltype(&PQpipelineSync) pipeline_sync = library["PQpipelineSync"];
    decltype(&PQputCopyData) put_copy_data = library["PQputCopyData"];
    decltype(&PQputCopyEnd) put_copy_end = library["PQputCopyEnd"];
    decltype(&PQgetCopyData) get_copy_data = library["PQgetCopyData"];
    decltype(&PQsetnonblocking) set_nonblocking = library["PQsetnonblocking"];
    decltype(&PQflush) flush = library["PQflush"];
    decltype(&PQresultStatus) result_status = library["PQresultStatus"];
    decltype(&PQresultErrorField) result_error_field = library["PQresultErrorField"];
    decltype(&PQntuples) row_count = library["PQntuples"];
    decltype(&PQnfields) column_count = library["PQnfields"];
    decltype(&PQbinaryTuples) is_binary = library["PQbinaryTuples"];
    decltype(&PQftype) type = library["PQftype"];
    decltype(&PQcmdStatus) command_status = library["PQcmdStatus"];
    decltype(&PQcmdTuples) command_rows = library["PQcmdTuples"];
    decltype(&PQgetvalue) value = library["PQgetvalue"];
    decltype(&PQgetlength) length = library["PQgetlength"];
    decltype(&PQgetisnull) is_null = library["PQgetisnull"];
    decltype(&PQclear) clear = library["PQclear"];
    decltype(&PQfreemem) free_memory = library["PQfreemem"];
};

// All functions are found at once: an older library fails at the start and not at a later call.
const Libpq& libpq() {
    static const Libpq loaded;
    return loaded;
}

}  // namespace
}  // namespace consentry::storage::postgres

using consentry::storage::postgres::libpq;

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): libpq's header abbreviates the names
extern "C" {

PGconn* PQconnectdbParams(const char* const* keywords, const char* const* values, int expand_dbname) {
    return libpq().connect_params(keywords, values, expand_dbname);
}
void PQfinish(PGconn* connection) { libpq().finish(connection); }
PQconninfoOption* PQconndefaults() { return libpq().default_options(); }
PQconninfoOption* PQconninfoParse(const char* text, char** error) { return libpq().parse_options(text, error); }
void PQconninfoFree(PQconninfoOption* options) { libpq().free_options(options); }
ConnStatusType PQstatus(const PGconn* connection) { return libpq().status(connection); }
char* PQhost(const PGconn* connection) { return libpq().host(connection); }
char* PQhostaddr(const PGconn* connection) { return libpq().host_address(connection); }
char* PQport(const PGconn* connection) { return libpq().port(connection); }
int PQserverVersion(const PGconn* connection) { return libpq().server_version(connection); }
char* PQerrorMessage(const PGconn* connection) { return libpq().error_message(connection); }
int PQsocket(const PGconn* connection) { return libpq().socket(connection); }
PQnoticeProcessor PQsetNoticeProcessor(PGconn* connection, PQnoticeProcessor processor, void* argument) {
    return libpq().set_notice_processor(connection, processor, argument);
}
PGresult* PQexec(PGconn* connection, const char* sql) { return libpq().execute(connection, sql); }
PGresult* PQexecParams(PGconn* connection, const char* sql, int count, const Oid* types, const char* const* values,
                       const int* lengths, const int* formats, int result_format) {
    return libpq().execute_params(connection, sql, count, types, values, lengths, formats, result_format);
}
int PQsendQuery(PGconn* connection, const char* sql) { return libpq().send_query(connection, sql); }
int PQsendQueryParams(PGconn* connection, const char* sql, int count, const Oid* types, const char* const* values,
                      const int* lengths, const int* formats, int result_format) {
    return libpq().send_query_params(connection, sql, count, types, values, lengths, formats, result_format);
}
int PQsendPrepare(PGconn* connection, const char* name, const char* sql, int count, const Oid* types) {
    return libpq().send_prepare(connection, name, sql, count, types);
}
int PQsendQueryPrepared(PGconn* connection, const char* name, int count, const char* const* values, const int* lengths,
                        const int* formats, int result_format) {
    return libpq().send_query_prepared(connection, name, count, values, lengths, formats, result_format);
}
PGresult* PQgetResult(PGconn* connection) { return libpq().get_result(connection); }
int PQisBusy(PGconn* connection) { return libpq().is_busy(connection); }
int PQconsumeInput(PGconn* connection) { return libpq().consume_input(connection); }
int PQenterPipelineMode(PGconn* connection) { return libpq().enter_pipeline_mode(connection); }
int PQpipelineSync(PGconn* connection) { return libpq().pipeline_sync(connection); }
int PQputCopyData(PGconn* connection, const char* buffer, int size) {
    return libpq().put_copy_data(connection, buffer, size);
}
int PQputCopyEnd(PGconn* connection, const char* error) { return libpq().put_copy_end(connection, error); }
int PQgetCopyData(PGconn* connection, char** buffer, int asynchronously) {
    return libpq().get_copy_data(connection, buffer, asynchronously);
}
int PQsetnonblocking(PGconn* connection, int wanted) { return libpq().set_nonblocking(connection, wanted); }
int PQflush(PGconn* connection) { return libpq().flush(connection); }
ExecStatusType PQresultStatus(const PGresult* result) { return libpq().result_status(result); }
char* PQresultErrorField(const PGresult* result, int code) { return libpq().result_error_field(result, code); }
int PQntuples(const PGresult* result) { return libpq().row_count(result); }
int PQnfields(const PGresult* result) { return libpq().column_count(result); }
int PQbinaryTuples(const PGresult* result) { return libpq().is_binary(result); }
Oid PQftype(const PGresult* result, int field) { return libpq().type(result, field); }
char* PQcmdStatus(PGresult* result) { return libpq().command_status(result); }
char* PQcmdTuples(PGresult* result) { return libpq().command_rows(result); }
char* PQgetvalue(const PGresult* result, int row, int field) { return libpq().value(result, row, field); }
int PQgetlength(const PGresult* result, int row, int field) { return libpq().length(result, row, field); }
int PQgetisnull(const PGresult* result, int row, int field) { return libpq().is_null(result, row, field); }
void PQclear(PGresult* result) { libpq().clear(result); }
void PQfreemem(void* memory) { libpq().free_memory(memory); }

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
