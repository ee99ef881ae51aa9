// Derived by scripts/generate.ts: do not edit.
import type { Kind } from "../core/kind.ts";
import { mapOnDemand } from "../core/once.ts";
import { analysisBuild } from "./analysis/analysis-build.ts";
import { analysisBuildRetention } from "./analysis/analysis-build-retention.ts";
import { analysisDefectType } from "./analysis/analysis-defect-type.ts";
import { analysisGroup } from "./analysis/analysis-group.ts";
import { analysisIssue } from "./analysis/analysis-issue.ts";
import { analysisModule } from "./analysis/analysis-module.ts";
import { analysisProject } from "./analysis/analysis-project.ts";
import { analysisRole } from "./analysis/analysis-role.ts";
import { analysisRoleAssignment } from "./analysis/analysis-role-assignment.ts";
import { analysisServerImport } from "./analysis/analysis-server-import.ts";
import { analysisUser } from "./analysis/analysis-user.ts";
import { analysisView } from "./analysis/analysis-view.ts";
import { accessToken } from "./artifacts/access-token.ts";
import { buildPromotion } from "./artifacts/build-promotion.ts";
import { buildRetention } from "./artifacts/build-retention.ts";
import { cleanup } from "./artifacts/cleanup.ts";
import { deployedFile } from "./artifacts/deployed-file.ts";
import { imagePromotion } from "./artifacts/image-promotion.ts";
import { itemProperties } from "./artifacts/item-properties.ts";
import { repositoryLayout } from "./artifacts/repository-layout.ts";
import { trashCan } from "./artifacts/trash-can.ts";
import { coreVersion } from "./ci/core-version.ts";
import { jobConfig } from "./ci/job-config/job-config.ts";
import { plugin } from "./ci/plugin.ts";
import { systemProperty } from "./ci/system-property.ts";
import { actionsPermission } from "./hosting/actions-permission.ts";
import { hostKeys } from "./hosting/host-keys.ts";
import { latestRelease } from "./hosting/latest-release.ts";
import { accessRule } from "./review/access-rule.ts";
import { branchLock } from "./review/branch-lock.ts";
import { personalToken } from "./tracker/personal-token.ts";
import { userPreference } from "./tracker/user-preference.ts";
import { wikiPage } from "./wiki/wiki-page/wiki-page.ts";

/** Every kind by its name. In the bundle a kind is loaded when it is first asked for. */
export const kinds: ReadonlyMap<string, Kind> = mapOnDemand<string, Kind>([
  ["AccessRule", () => accessRule],
  ["AccessToken", () => accessToken],
  ["ActionsPermission", () => actionsPermission],
  ["AnalysisBuild", () => analysisBuild],
  ["AnalysisBuildRetention", () => analysisBuildRetention],
  ["AnalysisDefectType", () => analysisDefectType],
  ["AnalysisGroup", () => analysisGroup],
  ["AnalysisIssue", () => analysisIssue],
  ["AnalysisModule", () => analysisModule],
  ["AnalysisProject", () => analysisProject],
  ["AnalysisRole", () => analysisRole],
  ["AnalysisRoleAssignment", () => analysisRoleAssignment],
  ["AnalysisServerImport", () => analysisServerImport],
  ["AnalysisUser", () => analysisUser],
  ["AnalysisView", () => analysisView],
  ["BranchLock", () => branchLock],
  ["BuildPromotion", () => buildPromotion],
  ["BuildRetention", () => buildRetention],
  ["Cleanup", () => cleanup],
  ["CoreVersion", () => coreVersion],
  ["DeployedFile", () => deployedFile],
  ["HostKeys", () => hostKeys],
  ["ImagePromotion", () => imagePromotion],
  ["ItemProperties", () => itemProperties],
  ["JobConfig", () => jobConfig],
  ["LatestRelease", () => latestRelease],
  ["PersonalToken", () => personalToken],
  ["Plugin", () => plugin],
  ["RepositoryLayout", () => repositoryLayout],
  ["SystemProperty", () => systemProperty],
  ["TrashCan", () => trashCan],
  ["UserPreference", () => userPreference],
  ["WikiPage", () => wikiPage],
]);
