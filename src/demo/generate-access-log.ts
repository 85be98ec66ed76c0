import { createSeededRandom, type SeededRandom } from "../lib/seeded-random.ts";

/** How many requests a generated log has. */
export const GENERATED_REQUESTS = 10_000;

/** The log covers 83 hours, like the real one whose shape it has. */
const START_MS = Date.UTC(2015, 4, 17, 10, 5, 3);
const END_MS = Date.UTC(2015, 4, 20, 21, 5, 59);

/** Requests of the busiest clients: four crawlers stand out. */
const BUSIEST_SIZES = [482, 364, 357, 273];
/** The clients behind them, from the 5th to this rank, fall off slowly. */
const FALLING_RANKS = 50;
/** How many of 1,700 further clients send so many requests: many feed readers, and visitors with a page's 6 files. */
const TAIL_SIZES: readonly (readonly [number, number])[] = [
  [1, 680],
  [2, 324],
  [3, 70],
  [4, 48],
  [5, 42],
  [6, 312],
  [7, 88],
  [8, 28],
  [9, 25],
  [10, 12],
  [12, 24],
  [15, 12],
  [17, 16],
  [20, 8],
  [23, 14],
  [27, 9],
  [29, 3],
];

/** Exactly so many requests have this method and status. */
const OUTCOMES: readonly (readonly [method: string, statusCode: number, requests: number])[] = [
  ["GET", 200, 9_091],
  ["GET", 304, 445],
  ["GET", 404, 202],
  ["GET", 301, 163],
  ["GET", 206, 45],
  ["GET", 403, 2],
  ["GET", 416, 2],
  ["GET", 500, 2],
  ["HEAD", 200, 33],
  ["HEAD", 404, 8],
  ["HEAD", 301, 1],
  ["POST", 404, 3],
  ["POST", 200, 2],
  ["OPTIONS", 500, 1],
];

const TARGETS: readonly (readonly [string, number])[] = [
  ["/favicon.ico", 807],
  ["/style2.css", 546],
  ["/reset.css", 538],
  ["/images/portrait-80.png", 533],
  ["/images/web/banner.png", 516],
  ["/blog/tags/puppet?flav=rss20", 488],
  ["/?flav=rss20", 217],
  ["/projects/grab/", 224],
  ["/", 197],
  ["/robots.txt", 180],
  ["/?flav=atom", 137],
  ["/presentations/logs-at-scale/images/#.png", 2_100],
  ["/presentations/logs-at-scale/", 205],
  ["/blog/entries/#.html", 1_250],
  ["/blog/entries/#.html?utm_source=feed&utm_medium=feed", 220],
  ["/projects/grab/#.html", 380],
  ["/files/releases/release-#.jar", 540],
  ["/articles/#/", 307],
  ["/images/#.png", 190],
  ["/icons/#.gif", 95],
];
const MISSING_TARGETS: readonly (readonly [string, number])[] = [
  ["/files/old/#.tar.gz", 100],
  ["/blog/entries/#.htm", 70],
  ["/wp-login.php", 30],
  ["/admin/", 10],
];

const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.107 Safari/537.36";
const VISITOR_AGENTS: readonly (readonly [string, number])[] = [
  [`Mozilla/5.0 (Windows NT 6.1; WOW64) ${CHROME}`, 1_044],
  [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`, 660],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1) ${CHROME}`, 520],
  ["Mozilla/5.0 (Windows NT 6.1; WOW64; rv:27.0) Gecko/20100101 Firefox/27.0", 400],
  ["Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:27.0) Gecko/20100101 Firefox/27.0", 380],
  ["Tiny Tiny RSS/1.11 (http://tt-rss.org/)", 198],
  ["-", 190],
];
const CRAWLER_AGENTS: readonly (readonly [string, number])[] = [
  ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", 500],
  ["UniversalFeedParser/4.2-pre-314-svn +http://feedparser.org/", 364],
  ["msnbot/2.0b (+http://search.msn.com/msnbot.htm)", 96],
];

const PROTOCOLS = [
  ["HTTP/1.1", 93],
  ["HTTP/1.0", 7],
] as const;
const IPV6_SHARE = 0.03;
const DISTINCT_PAGES = 200;

interface Client {
  address: string;
  agent: string;
}

/**
 * Makes an access log in the combined log format with the shape of a real one: 10,000 requests of about 1,750 clients,
 * of which the busiest sends 482 and two fifths send one. The same seed gives the same text. Addresses are from the
 * ranges for benchmarks and documentation, and so are nobody's.
 *
 * @param seed an integer; only its lower 32 bits count
 */
export function generateAccessLog(seed: number): string {
  const random = createSeededRandom(seed);
  const senders = drawSizes(random).flatMap((size, index) => {
    const client: Client = {
      address: addressOf(index, random),
      agent: random.weighted(index < BUSIEST_SIZES.length ? CRAWLER_AGENTS : VISITOR_AGENTS),
    };
    return Array.from({ length: size }, () => client);
  });
  random.shuffle(senders);
  const outcomes = OUTCOMES.flatMap((outcome) => Array.from({ length: outcome[2] }, () => outcome));
  random.shuffle(outcomes);
  const times = senders.map(() => random.integer(START_MS, END_MS)).sort((one, other) => one - other);
  const lines = senders.map((client, index) => {
    const [method, statusCode] = outcomes[index] ?? ["GET", 200];
    return lineOf(client, method, statusCode, times[index] ?? START_MS, random);
  });
  return `${lines.join("\n")}\n`;
}

/** Requests of each client, in no particular order behind the busiest; their sum is exact. */
function drawSizes(random: SeededRandom): number[] {
  const sizes = [...BUSIEST_SIZES];
  for (let rank = sizes.length + 1; rank <= FALLING_RANKS; rank++) {
    const typical = 113 * (rank - BUSIEST_SIZES.length) ** -0.32;
    sizes.push(Math.round(typical * (0.97 + 0.06 * random.fraction())));
  }
  let left = GENERATED_REQUESTS - sizes.reduce((sum, size) => sum + size, 0);
  while (left > 0) {
    const size = Math.min(left, random.weighted(TAIL_SIZES));
    sizes.push(size);
    left -= size;
  }
  return sizes;
}

/** Different for each index below 65,535. */
function addressOf(index: number, random: SeededRandom): string {
  // An odd factor permutes the 65,536 numbers, so that neighbours look unrelated.
  const scattered = ((index + 1) * 40_503) % 65_536;
  if (random.fraction() < IPV6_SHARE) return `2001:db8::${scattered.toString(16)}:1`;
  return `198.${random.integer(18, 19)}.${scattered >> 8}.${scattered & 255}`;
}

function lineOf(client: Client, method: string, statusCode: number, timeMs: number, random: SeededRandom): string {
  const target = random
    .weighted(statusCode === 404 ? MISSING_TARGETS : TARGETS)
    .replace("#", String(Math.floor(DISTINCT_PAGES * random.fraction() ** 2)));
  const protocol = random.weighted(PROTOCOLS);
  const bytes = statusCode === 304 || method === "HEAD" ? "-" : String(Math.floor(10 ** (2.3 + 3 * random.fraction())));
  const referrer =
    random.fraction() < 0.41 ? "-" : `http://www.example.com${random.weighted(TARGETS).replace("#", "1")}`;
  const request = `"${method} ${target} ${protocol}"`;
  return `${client.address} - - [${logTime(timeMs)}] ${request} ${statusCode} ${bytes} "${referrer}" "${client.agent}"`;
}

function logTime(timeMs: number): string {
  // Such as `Sun, 17 May 2015 10:05:03 GMT`.
  const [, day, month, year, time] = new Date(timeMs).toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}
