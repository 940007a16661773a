#include "benches/experiments/run/sqlite.hpp"

#include <sqlite3.h>

namespace kernbench::sqlite {
namespace {

void require(int code, sqlite3* database) {
  if (code == SQLITE_OK) return;
  throw Error(code & 0xff, database != nullptr ? ::sqlite3_errmsg(database) : ::sqlite3_errstr(code));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }

Statement::Statement(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = ::sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  require(code, database);
}

Statement& Statement::bind(std::string_view text) {
  require(::sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8),
          ::sqlite3_db_handle(statement_.get()));
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  require(::sqlite3_bind_int64(statement_.get(), ++bound_, number), ::sqlite3_db_handle(statement_.get()));
  return *this;
}

bool Statement::step() {
  const int code = ::sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  const std::string message = ::sqlite3_errmsg(::sqlite3_db_handle(statement_.get()));
  reset();
  if (code != SQLITE_DONE) throw Error(code & 0xff, message);
  return false;
}

void Statement::reset() {
  ::sqlite3_reset(statement_.get());  // repeats the error of step(), which has been told
  bound_ = 0;
}

std::string Statement::text(int column) const {
  const auto* const bytes = static_cast<const char*>(::sqlite3_column_blob(statement_.get(), column));
  const int size = ::sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

std::int64_t Statement::number(int column) const { return ::sqlite3_column_int64(statement_.get(), column); }

void Database::Close::operator()(sqlite3* database) const { ::sqlite3_close_v2(database); }

Database::Database(const std::filesystem::path& file, std::chrono::milliseconds patience) {
  sqlite3* database = nullptr;
  const int code = ::sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(database);  // to be closed even where it was not opened
  require(code, database);
  require(::sqlite3_busy_timeout(database, static_cast<int>(patience.count())), database);
}

void Database::execute(const std::string& sql) {
  require(::sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr), database_.get());
}

std::int64_t Database::number(const std::string& sql) {
  Statement query = prepare(sql);
  return query.step() ? query.number(0) : 0;
}

std::int64_t Database::changes() const { return ::sqlite3_changes64(database_.get()); }

}  // namespace kernbench::sqlite
