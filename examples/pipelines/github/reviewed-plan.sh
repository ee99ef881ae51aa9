#!/usr/bin/env bash
# Fetches the reviewed plan to $RUNNER_TEMP/reviewed, and checks out its commit. Outputs holds=true if the plan may be applied.
# Copy to .github/setpoint/reviewed-plan.sh; apply.yml runs it. RUN is empty, or the run whose plan a person approves.
set -euo pipefail

runs=repos/$GITHUB_REPOSITORY/actions/runs
if [ -n "$RUN" ]; then
  # Accept only runs of apply.yml on main: any pull request can bring a plan of its own.
  made=$(gh api "$runs/$RUN" --jq '.path + "@" + .head_branch')
  if [ "$made" != .github/workflows/apply.yml@main ]; then
    echo "::error::Run $RUN is of $made. Approve a run of apply.yml on main."
    exit 1
  fi
else
  merged="map(select(.merge_commit_sha == \"$GITHUB_SHA\"))[0].head.sha // empty"
  head=$(gh api "repos/$GITHUB_REPOSITORY/commits/$GITHUB_SHA/pulls" --jq "$merged")
  planned='[.workflow_runs[] | select(.path == ".github/workflows/plan.yml")][0].id // empty'
  if [ -n "$head" ]; then
    RUN=$(gh api "$runs?event=pull_request&status=success&head_sha=$head" --jq "$planned")
  fi
fi

reviewed=$RUNNER_TEMP/reviewed
if [ -z "$RUN" ] || ! gh run download "$RUN" --repo "$GITHUB_REPOSITORY" --name plan --dir "$reviewed"; then
  echo "::warning::No one reviewed a plan of this commit, or the plan is gone."
  exit 0
fi

read -r commit rules < <(jq -r '"\(.saved.manifests.commit) \(.trusted.commit)"' "$reviewed/plan.json")
# The planned merge commit is on no branch: it comes with the plan.
if ! git cat-file -e "$commit^{commit}" 2> /dev/null; then git fetch --quiet "$reviewed/commit.bundle" HEAD; fi
# The plan is valid for main if main has exactly the planned files, and if the plan's rules were main's.
if git diff --quiet "$commit" "$GITHUB_SHA" && git merge-base --is-ancestor "$rules" "$GITHUB_SHA"; then
  git checkout --quiet --detach "$commit"
  echo "holds=true" >> "$GITHUB_OUTPUT"
else
  echo "::warning::Main is not what was planned: something else was merged in the meantime."
fi
