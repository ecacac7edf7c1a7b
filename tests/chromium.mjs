// Chromium as each test of a page starts it, and axe in its pages. The packages are passed in, as each folder of tests has its own.

const sandbox = process.getuid() === 0 ? ["--no-sandbox"] : []; // Chromium refuses to run as root with one

/** Starts Playwright's `chromium`. CREDENCE_CHROMIUM names another executable than that of the package that ops/test installs. */
export const launch = (chromium, ...flags) => chromium.launch({
  executablePath: process.env.CREDENCE_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: [...sandbox, "--disable-gpu", ...flags],
});

/** What axe finds in what a page shows now: rules and their elements. Axe's source is sent to each page once, as that takes longer than a look. */
export async function violations(page, axe) {
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe.source);
  const found = await page.evaluate(() => window.axe.run({resultTypes: ["violations"]}));
  return found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`);
}
