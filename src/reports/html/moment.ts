const day = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const time = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit" });

/** A moment for people: `13 Jan 2027, 02:00 UTC`. A string that is not a time is returned unchanged. */
export function dayAndTime(iso: string): string {
  const words = dayText(iso);
  return words === iso ? iso : `${words}, ${time.format(new Date(iso))} UTC`;
}

/** The day of a moment: `13 Jan 2027`. */
export function dayText(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : day.format(date);
}
