#!/bin/sh
# What the CI jobs of an app do with Skep: skep-ci TASK [flags of skep]. The jobs in this folder call it; so can any other.
set -eu

usage() {
  cat >&2 <<'END'
skep-ci TASK [flags of skep]
  push     send the source files to the Hive                               (skep push)
  check    check the app's translations without a server                   (skep check)
  preview  write what a push would change into a file, as a comment        (skep push --dry-run)
  pull     bring translations in a commit on a branch, and push the branch (skep pull)

SKEP_MAX_DELETIONS  the most strings that a push deletes: 20
SKEP_PREVIEW_FILE   the file of the preview: skep-preview.md
SKEP_PULL_BRANCH    the branch of the pull: translations
SKEP_PULL_REMOTE    where it is pushed to: origin
SKEP_PULL_MESSAGE   the message of its commit, and the title of its request: Update translations
END
  exit 2
}

# Whether the job runs in GitHub Actions.
on_github() { [ "${GITHUB_ACTIONS:-}" = true ]; }

push() {
  skep push --max-deletions "${SKEP_MAX_DELETIONS:-20}" "$@"
}

check() {
  # Annotations stand beside the lines of a pull request.
  if on_github; then set -- --format github "$@"; fi
  skep check "$@"
}

preview() {
  file=${SKEP_PREVIEW_FILE:-skep-preview.md}
  said=$(mktemp)
  code=0
  skep push --dry-run --verbose "$@" >"$said" 2>&1 || code=$?
  # Texts of strangers: every line is indented, so that none is Markdown, and fits into the 65,536 characters of a comment.
  {
    printf '### Translations\n\n'
    if [ "$code" = 0 ]; then printf 'A push of these files:\n\n'; else printf 'A push of these files fails:\n\n'; fi
    node -e 'const said = require("node:fs").readFileSync(process.argv[1], "utf8");
      const lines = said.trimEnd().split(/\r?\n|\r/).slice(0, 300);
      for (const line of lines) console.log("    " + line.slice(0, 180));' "$said"
  } >"$file"
  cat "$said"
  rm -f "$said"
  return "$code"
}

pull() {
  branch=${SKEP_PULL_BRANCH:-translations}
  remote=${SKEP_PULL_REMOTE:-origin}
  message=${SKEP_PULL_MESSAGE:-Update translations}
  if ! git diff --quiet HEAD; then
    echo "skep-ci: there are changes that are not committed; they would get into the commit of the translations." >&2
    return 1
  fi
  others=$(mktemp)
  # What lies here untracked, such as a cache, stays out of the commit.
  git -c core.quotePath=false ls-files --others --exclude-standard --full-name :/ >"$others"
  skep pull "$@"
  git add --update :/
  git -c core.quotePath=false ls-files --others --exclude-standard --full-name :/ | grep -vxF -f "$others" |
    while IFS= read -r path; do git add -- ":(top,literal)$path"; done
  rm -f "$others"
  if git diff --cached --quiet; then
    echo "No new translations."
    return 0
  fi
  git checkout --quiet -B "$branch"
  git -c user.name="${SKEP_PULL_NAME:-Skep}" -c user.email="${SKEP_PULL_EMAIL:-skep@example.org}" \
    commit --quiet -m "$message"
  if [ -n "${GITLAB_CI:-}" ]; then
    set -- -o merge_request.create -o "merge_request.target=$CI_DEFAULT_BRANCH" -o "merge_request.title=$message"
  else
    set --
  fi
  # The same as at the last pull: another commit would only have the jobs of its request run again.
  if git fetch --quiet "$remote" "refs/heads/$branch" 2>/dev/null && git diff --quiet FETCH_HEAD HEAD; then
    echo "The branch $branch has them already."
  else
    git push --quiet --force "$@" "$remote" "HEAD:refs/heads/$branch"
  fi
  if on_github; then
    gh pr create --head "$branch" --title "$message" --body "From Skep." || gh pr view "$branch"
  fi
}

task=${1:-}
[ $# -eq 0 ] || shift
case $task in
  push | check | preview | pull) "$task" "$@" ;;
  *) usage ;;
esac
