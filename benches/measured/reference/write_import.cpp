// A new folder for each that changes, whole before it takes its place.
#include <map>
#include <vector>

#include "benches/io/files/new_folder.hpp"
#include "benches/measured/reference/import.hpp"
#include "benches/results/rows/results_json.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

/// What changes in one folder.
struct Changes {
  std::vector<const ImportedCard*> cards;
  std::vector<const ImportTarget*> targets;
};

void take_in(const CopiedFolder& folder, const fs::path& place, NewFolder& building) {
  std::error_code error;
  if (fs::equivalent(folder.from, folder.to, error)) return;
  const fs::path name = folder.to.lexically_relative(place);
  building.remove(name);
  for (const fs::path& file : folder.files) building.copy(folder.from / file, name / file);
}

}  // namespace

FolderLock lock_references(const fs::path& into) {
  FolderLock lock(into, "another import", "wait for it, or choose another --into");
  finish_new_folders(lock);
  finish_new_folders(lock, "published");
  return lock;
}

void write_import(const ImportPlan& plan, const FolderLock& into) {
  std::map<fs::path, Changes> folders;
  for (const ImportedCard& card : plan.cards) folders[card.file.parent_path()].cards.push_back(&card);
  for (const ImportTarget& target : plan.targets) folders[target.file.parent_path()].targets.push_back(&target);
  for (const auto& [place, changes] : folders) {
    NewFolder building(into, place.lexically_relative(into.path()));
    for (const ImportTarget* target : changes.targets) {
      for (const CopiedFolder& folder : target->folders) take_in(folder, place, building);
    }
    for (const ImportedCard* card : changes.cards) building.write(card->file.filename(), format_device(card->device));
    for (const ImportTarget* target : changes.targets) {
      building.write(target->file.filename(), format_results(target->merged.results));
    }
    building.take_place();
  }
}

}  // namespace kernbench
