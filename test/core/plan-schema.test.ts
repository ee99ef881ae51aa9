import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type { Report } from "../../src/core/outcome.ts";
import type { Plan } from "../../src/core/plan.ts";
import type { PlanSchema, ReportSchema } from "../../src/core/plan-schema.ts";

test("the schemas of plans and reports say exactly what the types say", () => {
  expectTypeOf<z.output<typeof PlanSchema>>().toEqualTypeOf<Plan>();
  expectTypeOf<z.output<typeof ReportSchema>>().toEqualTypeOf<Report>();
});
