/** Settings of a run; what is left out is that of the model. */
export interface Settings {
  parameters?: Record<string, number>;
  /** start values of coordinates and momenta; the start is moved onto the constraints */
  starts?: Record<string, number>;
  /** a method expression, such as "rattle(verlet)" */
  method?: string | null;
  step?: number | null;
  /** the end time */
  stop?: number | null;
  /** how many samples there are at most, up to 1500 (default 1000) */
  samples?: number;
  /** end the run after so much time on the clock; `complete` is false then */
  milliseconds?: number;
}
/** The model as it is read. */
export interface About {
  title: string;
  method: string;
  coordinates: string[];
  momenta: string[];
  /** q, then p */
  start: number[];
  parameters: { name: string; value: number }[];
  [more: string]: unknown;
}
/** One quantity at the times of a run. */
export interface Series {
  name: string;
  kind: string;
  values: Float64Array;
}
export interface Run {
  method: string;
  solver: string;
  /** pairs, and constraints */
  n: number;
  m: number;
  steps: number;
  step: number;
  /** where it ended */
  time: number;
  complete: boolean;
  /** why it ended before its end, or null */
  failed: string | null;
  /** largest errors, and what it cost */
  figures: Record<string, number>;
  about: About;
  times: Float64Array;
  series: Series[];
}
export interface Point {
  coordinates: string[];
  momenta: string[];
  q: Float64Array;
  p: Float64Array;
  time: number;
}
/** What `rattle check` finds. */
export interface Check {
  class: string;
  index?: number;
  step?: number;
  methods?: unknown;
  kept?: string[];
  [more: string]: unknown;
}
/** A sentence that says what is wrong with the model, the settings or the calculation. */
export class RattleError extends Error {}
/** librattle in a worker. Orders are worked on one after the other. */
export class Librattle {
  /** patience: milliseconds after which an order is ended with an error (60000) */
  constructor(options?: { patience?: number });
  /** Integrates a model, the text of a model file in Lua. */
  run(text: string, settings?: Settings): Promise<Run>;
  /** The point after so many steps, to all digits. */
  advance(text: string, steps: number, settings?: Settings): Promise<Point>;
  /** Diagnoses a model. */
  check(text: string, settings?: Settings): Promise<Check>;
  /** Ends the worker; the next order has a new one. */
  end(): void;
}
