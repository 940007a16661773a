// SQLite with its errors as exceptions: a database file, and statements with values bound to them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace kernbench::sqlite {

class Error : public std::runtime_error {
 public:
  Error(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  /// SQLITE_BUSY, SQLITE_NOTADB, ...
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// An SQL statement, prepared once. A child that is forked while one lives must not use it, nor its database.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql);

  /// Gives the next `?` its value; after step() has said that there is no row left, the first one.
  Statement& bind(std::string_view text);
  Statement& bind(std::int64_t number);
  /// True: the next row can be read. False: done, and ready to be bound anew. Throws Error.
  bool step();
  /// Done with it, although rows may be left.
  void reset();
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

class Database {
 public:
  /// Opens or makes the file; waits that long for other writers whenever there are some. Throws Error.
  Database(const std::filesystem::path& file, std::chrono::milliseconds patience);

  /// Statements without results, or whose results do not matter. Throws Error.
  void execute(const std::string& sql);
  [[nodiscard]] Statement prepare(const std::string& sql) { return {database_.get(), sql}; }
  /// The number that a query of one number gives. Throws Error.
  [[nodiscard]] std::int64_t number(const std::string& sql);
  /// Rows that the last statement removed, put in or changed.
  [[nodiscard]] std::int64_t changes() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace kernbench::sqlite
