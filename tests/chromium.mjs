// Chromium as each test of a page starts it, and axe in its pages. Packages come from the caller, each folder of tests has its own.

const sandbox = process.getuid() === 0 ? ["--no-sandbox"] : []; // Chromium refuses to run as root with one

/** Starts Playwright's `chromium`. CREDENCE_CHROMIUM names another executable than that of the package that ops/test installs. */
export const launch = (chromium, ...flags) => chromium.launch({
  executablePath: process.env.CREDENCE_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: [...sandbox, "--disable-gpu", ...flags],
});

/** What axe finds in what a page shows now: rules and their elements. By all of axe's rules, or by those named. The page keeps axe's source. */
export async function violations(page, axe, rules) {
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe.source);
  const found = await page.evaluate((only) => window.axe.run({resultTypes: ["violations"], ...(only && {runOnly: only})}), rules);
  return found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`);
}
