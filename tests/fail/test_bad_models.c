/* Models that must be refused, and what the message must contain. Each row is the text of a model
 * file, after a line that declares the pair x, px and H where the row begins with a space. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "rattle/model.h"

static const struct {
  const char *text, *says, *and_says;
} rows[] = {
    /* what is missing */
    {"", "no variables", "pair("},
    {"local x, px = pair('x')", "no Hamiltonian", "hamiltonian("},
    {"local x = pair('x') potential(x)", "\"x\" has no mass", "mass"},
    {"local x = pair('x') local y = pair('y') mass { x = 1 } potential(x)", "\"y\" has no mass",
     NULL},
    {" parameter('length')", "\"length\" has no default", "-P length="},
    /* syntax and names */
    {" local a = = 3", "bad.lua:2:", "unexpected symbol"},
    {" local gravity = 1\nlocal a = gravty*2", "bad.lua:3: unknown name 'gravty'",
     "did you mean 'gravity'?"},
    {" hamiltonain(x)", "unknown name 'hamiltonain'", "did you mean 'hamiltonian'?"},
    {" local f = function() return px2 end f()", "unknown name 'px2'", "did you mean 'px'?"},
    {" local a = zzzzzzzz", "unknown name 'zzzzzzzz'", "expected a local variable"},
    {" local a = math.sqr(2)", "math has no 'sqr'", "math.sqrt"},
    {" local k = param('k', 1)", "unknown name 'param'", "did you mean 'parameter'?"},
    {" hamiltonian(t*x)", "unknown name 't'", "local t = time()"},
    {" observe('force', -lambda('rod'))", "no constraint \"rod\"", "declare it before"},
    {" motor('m', x, 2)", "unknown name 'motor'", "and mech.motor"},
    {" require('mechanics').revolut('a')", "mechanics has no 'revolut'",
     "did you mean 'mechanics.revolute'?"},
    {" require('mechanics').hinge('a')", "mechanics has no 'hinge': it is mechanics.revolute",
     NULL},
    {"local m = require('mechanics')\nlocal a = m.planar { name = 'a', mass = 1, inertia = 1 "
     "}\nlocal p = a:poit(1, 0)",
     "bad.lua:3: a body has no \"poit\"; it has x, p, column, angle (in the plane), at, here",
     NULL},
    {"local m = require('mechanics')\nlocal a = m.body { name = 'a', mass = 1, inertia = {1, 1, 1} "
     "}\nobserve('a', a.angle)",
     "bad.lua:3: a body has no \"angle\"", "x and p are vectors, as in b.x.z"},
    {"local m = require('mechanics')\nlocal p = m.ground:at(0, 0):alng(1, 0)",
     "bad.lua:2: a point has no \"alng\"; it has along", NULL},
    {"local v = require 'vectors'\nlocal a = v.vec3(1, 2, 3).w",
     "bad.lua:2: a vec3 has no \"w\"; it has x, y, z", NULL},
    {" stop { x - 0.5 }", "by name in stop, found the expression x - 0.5 without a name", NULL},
    {" integrate { 'verlet' }", "by name in integrate, found the string \"verlet\" without a name",
     NULL},
    {" observe('k', math.floor(x))", "math.floor and math.ceil are not smooth", "wrap(x, L)"},
    {" observe('k', floor(x))", "unknown name 'floor': write math.floor", "wrap(x, L)"},
    {" local v = require 'vectors' v.crss(1)", "vectors has no 'crss'",
     "did you mean 'vectors.cross'?"},
    /* variables and constraints */
    {" local f = 1 for i = 1, 25 do f = f*i end start { x = f }",
     "found the integer 7034535277573963776", "wrap at 2^63"},
    {" local f = 0x20000000000000 constrain('g', x^2/f - 1)", "found the integer 9007199254740992",
     "2^53"},
    {" local f = 9000 integrate { step = f*f*f*f*f }", "found the integer", "wrap at 2^63"},
    {"-- 20000\nlocal k =\n86400\nlocal m = k & 3", "bad.lua:3: this file has operations on bits",
     "86400.0"},
    {" local k = 86400 local m = 1 << 3", "bad.lua:2: this file has operations on bits",
     "hexadecimal"},
    {" local k = ~86400", "bad.lua:2: this file has operations on bits", NULL},
    {" local k = 86400..x", "malformed number near '86400..x'", NULL},
    {"\n\nlocal k = 86400 local a = 12345*nothing", "bad.lua:3: unknown name 'nothing'", NULL},

    {" pair('x')", "\"x\" is taken", "coordinate of a pair"},
    {" pair('y', 'px')", "\"px\" is taken", "momentum of a pair"},
    {" pair(3)", "name of a pair as a string", "found the number 3"},
    {" pair()", "name of a pair as a string", "found nothing"},
    {" pair('')", "is empty", NULL},
    {" pair('hold')", "\"hold\"", "start{...} has an option"},
    {" pair('a/b')", "slash", NULL},
    {" pairs_of('y', 0)", "whole number from 1", "found the number 0"},
    {" pairs_of('y', 2.5)", "number of pairs", "2.5"},
    {" constrain('g', 3)", "bad.lua:2: the constraint \"g\" is the number 3", "never hold"},
    {" constrain('g', x - x)", "\"g\" is the number 0", "always holds"},
    {" constrain('g')", "that is to be 0 in constrain", "found nothing"},
    {" constrain(x, 'g')", "name of a constraint", "found the expression x"},
    {" constrain('g', x) constrain('g', px)", "constraint \"g\" already exists", NULL},
    {" constrain('g', {})", "expected an expression", "found a table"},
    {" observe('a', x) observe('a', x)", "already exists", "quantity \"a\""},
    {" observe('px', x)", "bad.lua:2: the name \"px\"", "always recorded"},
    {" force { px = x }", "found the momentum \"px\"", "that on \"x\""},
    {" force { y = x }", "unknown variable \"y\" in force", NULL},
    {" force { x = 'a' }", "in force { coordinate = expression }", "found the string"},
    {" force(x, 1)", "force { coordinate = expression, ... }", NULL},
    {" free('b') force { b = x }", "\"b\" is free", "no momentum"},
    {" event('e', 3)", "bad.lua:2: the event \"e\" is the number 3", "never changes its sign"},
    {" event('e')", "that is 0 at the event", "found nothing"},
    {" event(x)", "name of an event as a string", "found the expression x"},
    {" event('e', x == px)", "comparison of two", "x - 1"},
    {" event('e', x) event('e', px)", "event \"e\" already exists", NULL},
    {" event('at', x)", "\"at\" of an event is taken", "given times"},
    {" event('e', x, 1)", "table of options", "found the number 1"},
    {" event('e', x, { direction = 2 })", "direction", "found the number 2"},
    {" event('e', x, { count = 0 })", "count", "found the number 0"},
    {" event('e', x, { cuont = 1 })", "unknown option \"cuont\" in event",
     "did you mean \"count\"?"},
    {" event('e', x, { xyz = 1 })", "expected direction, count or stop", NULL},
    {" event('a/b', x)", "slash", NULL},
    {" stop(x)", "stop { when = expression }", "found the expression x"},
    {" stop { direction = 1 }", "stop has no expression", "when"},
    {" stop { when = x, stop = true }", "unknown option \"stop\" in stop", NULL},
    {" stop { when = x } stop { when = px }", "event \"stop\" already exists", NULL},
    {" output { at = {} }", "at has no times", NULL},
    {" output { at = 0 }", "expected a number above 0", NULL},
    {" output { at = { 1, 'a' } }", "a time in at", "found the string \"a\""},
    {" integrate { exact = 1 }", "exact", "found the number 1"},
    {" observe('x')", "observe(\"x\") is not needed", "always recorded"},
    {" observe('a', x) pair('b', 'a')", "the name \"a\" is taken", "observed quantity"},
    {" hamiltonian('x')", "expected an expression", "found the string \"x\""},
    {" hamiltonian(1/0)", "finite number", "found an infinite number"},
    {" title 'a' title 'b'", "already given", "\"a\""},
    {" metadata { a = {} }", "metadata \"a\"", "found a table"},
    /* algebra */
    {" if x < 1 then end", "cannot be compared", "expression x"},
    {" local a = x >= px", "cannot be compared", NULL},
    {" constrain('wall', x >= 0)", "cannot be compared", "constraints are equations"},
    {" constrain('unit', x^2 == 1)", "comparison of two", "constrain(name, x^2 - 1)"},
    {" hamiltonian(x**2)", "bad.lua:2: unexpected symbol near '*'", "a power is written with ^"},
    {" if abs(x) < 1 then end", "where(lt(x, y), a, b)", "contact is not integrated"},
    {" units {}", "entries length, mass and time", NULL},
    {" units { length = 3 }", "the name of a unit in units", "found the number 3"},
    {" units { length = 'nm', tiem = 'ps' }", "units has no option \"tiem\"",
     "did you mean \"time\"?"},
    {" units { length = '' }", "1 to 32 bytes", NULL},
    {" local a = abs(x, 2)", "expected abs(a), found 2 arguments", NULL},
    {" local a = sign(nil)", "in sign(a)", "found nil"},
    {" local a = min()", "min takes at least one value", NULL},
    {" local a = max {x, 'a'}", "max", "found the string \"a\""},
    {" local a = lt(x)", "expected lt(a, b), found 1 argument", NULL},
    {" local a = where(x, 1)", "expected where(condition, a, b)", NULL},
    {" local a = where(x < 1, x, 1)", "cannot be compared", "where(lt(x, y), a, b)"},
    {" local a = wrap(x, 0)", "period of wrap(x, period) must be positive", NULL},
    {" local a = poly(x, {})", "has no coefficients", NULL},
    {" local a = poly(x, {1, 'a'})", "coefficient of poly", "found the string \"a\""},
    {" local a = table1d(x, {1, 2, 3}, {1, 2, 3})", "4 to 1000 knots, found 3", NULL},
    {" local a = table1d(x, {1, 2, 3, 3}, {1, 2, 3, 4})", "knots of a table must increase", NULL},
    {" local a = table1d(x, {1, 2, 3, 4}, {1, 2, 3})", "4 numbers in xs and 3 in ys", NULL},
    {" local a = table1d(5, {1, 2, 3, 4}, {1, 2, 3, 4})", "outside the table, 1.0 to 4.0", NULL},
    {" constrain('wall', ge(x, 0))", "\"wall\" is a condition, 0 or 1", "contact"},
    {" local a = x % 2", "not smooth", NULL},
    {" local a = x // 2", "not smooth", NULL},
    {" local q = {} hamiltonian(x + q[1])", "to the right of +", "found nil"},
    {" hamiltonian(x*(0/0))", "to the right of *", "not a number"},
    {" hamiltonian(x^(1/0))", "to the right of ^", "infinite"},
    {" hamiltonian(1/(x - x))", "no finite value", "division by zero"},
    {" hamiltonian(sqrt(x - x - 1))", "expression sqrt(-1) has no finite value", NULL},
    {" local a = sqrt(-1)", "sqrt of the number -1", "not a number"},
    {" local a = log(0)", "log of the number 0", "infinite"},
    {" local a = sqrt('4')", "finite number for sqrt", "found the string"},
    {" local a = sin(x, 2)", "sin takes one argument", "found 2"},
    {" local a = x[1]", "expression x is not a list", "pairs_of"},
    {" x.y = 2", "expression x is not a list", NULL},
    {" local a = x(1)", "attempt to call", NULL},
    /* start */
    {" start { px = 1, pz = 2 }", "unknown variable \"pz\" in start", "did you mean \"px\"?"},
    {" start { temperature = 2 }", "unknown variable \"temperature\"",
     "name of a coordinate or momentum"},
    {" start { x = 1/0 }", "finite number for x", "infinite"},
    {" start { x = 0/0 }", "finite number for x", "nan"},
    {" start { x = '1' }", "finite number for x", "found the string \"1\""},
    {" start { x = px }", "finite number for x", "found the expression px"},
    {" start { [x + px] = 1 }", "variables or their names as keys in start",
     "found the expression x + px"},
    {" start { 1, 2 }", "keys in start", "found the number 1"},
    {" start(1)", "expected start {", "found the number 1"},
    {" start { x = 1 } start { x = 2 }", "\"x\" was already given as 1", "now it is 2"},
    {" start { px = 1 } velocity { x = 1 }", "\"x\" has a start momentum already", NULL},
    {" velocity { x = 1 } start { px = 1 }", "\"x\" has a start velocity already", NULL},
    {" velocity { px = 1 }", "expected coordinates in velocity", "\"px\""},
    {" free('b') velocity { b = 1 }", "\"b\" is free", NULL},
    {" start { project = 1 }", "true or false for project", "found the number 1"},
    {" start { replace = 3 }", "expected true or false for replace, found", NULL},
    {" pair('replace')", "\"replace\"", "start{...} has an option"},
    {" start { hold = { 'z' } }", "unknown variable \"z\" in hold", NULL},
    {" start { hold = { px } }", "expected coordinates in hold", "\"px\""},
    {" mass { x = 0 }", "positive mass for \"x\"", "found 0"},
    {" mass { x = 1 } mass { x = 2 }", "mass of \"x\" was already given", NULL},
    {" mass({x}, {1, 2})", "as many masses as variables", NULL},
    /* integrate and output */
    {" integrate { stpe = 1 }", "unknown option \"stpe\" in integrate", "did you mean \"step\"?"},
    {" integrate { every = 1 }", "option \"every\" belongs to output { ... }, not to integrate",
     NULL},
    {" output { evry = 1 }", "unknown option \"evry\" in output", "did you mean \"every\"?"},
    {" integrate { step = 0 }", "step is 0", NULL},
    {" integrate { step = 0/0 }", "finite number for step", NULL},
    {" integrate { step = 1, stop = 1, steps = 3 }", "both stop and steps", NULL},
    {" integrate { step = -1, stop = 1 }", "never reached", NULL},
    {" integrate { steps = 1.5 }", "whole number", "steps"},
    {" integrate { method = verlet }", "unknown name 'verlet'", NULL},
    {" integrate { method = 3 }", "method as a string", "found"},
    {" integrate { step = 1 } integrate { stop = 2 }", "already given", NULL},
    {" output { every = 0 }", "every", "found the number 0"},
    {" output { compensated = 1 }", "true or false", NULL},
    /* parameters */
    {" parameter('a', 1) parameter('a', 1)", "\"a\" is already declared", NULL},
    {" parameter('a', 1/0)", "default of a parameter", "infinite"},
    {" parameter('a b', 1)", "letters, digits", "a b"},
    {" random() parameter('seed', 2)", "\"seed\" is already declared", "random()"},
    {" random(0)", "empty range", NULL},
    /* flows */
    {" fibre(3)", "expected a function in fibre", "found the number 3"},
    {" fibre(function(s) return {} end)", "no constraints", NULL},
    {" flow(function(h) end)", "given to flow returns", "found nil"},
    {" flow(function(h) return { y = h } end)", "unknown variable \"y\" in flow", NULL},
    {" flow(function(h) return { x = '' } end)", "image of a variable", NULL},
    {" flow(function(h) hamiltonian(h) return {} end)", "hamiltonian cannot be used in a function",
     NULL},
    {" local f = function(h) return {} end flow(f) flow(f)", "flow was already given", NULL},
    {" local leak constrain('g', x) fibre(function(s) leak = s[1] return {} end)\n"
     "constrain('h', px) flow(function(h) return { x = leak + s2 } end)",
     "unknown name 's2'", NULL},
    {" local leak constrain('g', x) constrain('h', px) fibre(function(s) leak = s[2] return {} "
     "end)\n"
     "flow(function(h) return { x = leak } end)",
     "the flow of \"x\" contains a variable", NULL},
    /* molecules */
    {" pair { kind = 'wca' }", "pair(name) declares", "pair_potential"},
    {"molecule {}", "molecule needs beads = number", NULL},
    {"molecule { beads = 2.5 }", "whole number", "beads"},
    {"molecule { beads = 1, bonds = 'chain', length = 1 }", "chain of 1 beads is too short", NULL},
    {"molecule { beads = 2, bonds = 'ring', length = 1 }", "ring of 2 beads is too short", NULL},
    {"molecule { beads = 3, bonds = 'star', length = 1 }", "\"chain\", \"ring\" or a list", "star"},
    {"molecule { beads = 3, bonds = 'chain' }", "needs length = number", NULL},
    {"molecule { beads = 3, bonds = 'chain', length = 0 }", "positive number for length", NULL},
    {"molecule { beads = 3, bonds = 'chain', length = {1} }", "2 numbers in the list length",
     "found 1"},
    {"molecule { beads = 3, bonds = 'ring', length = {1, 1, 1.5} }", "different lengths", "place"},
    {"molecule { beads = 3, bonds = {{1, 2}}, length = 1 }", "needs place", NULL},
    {"molecule { beads = 3, bonds = {{1, 4}}, length = 1 }", "number of a bead", "from 1 to 3"},
    {"molecule { beads = 3, bonds = {{1, 1}}, length = 1 }", "bead 1 occurs twice", NULL},
    {"molecule { beads = 3, bonds = {{1, 2}} }", "bond 1 has no length", NULL},
    {"molecule { beads = 3, bonds = {{1, 2, -1}} }", "positive length", NULL},
    {"molecule { beads = 2, mass = -1 }", "positive number for mass", NULL},
    {"molecule { beads = 2, tmperature = 1 }", "no option \"tmperature\"",
     "did you mean \"temperature\"?"},
    {"molecule { beads = 2, temperature = -1 }", "cannot be negative", NULL},
    {"molecule { beads = 2, place = {{0, 0, 0}} }", "a place for each of 2 beads", "found 1"},
    {"molecule { beads = 1, place = function() return 0 end }", "coordinate of a placed bead",
     "found nil"},
    {"molecule { beads = 1, place = 3 }", "function(copy, bead)", "found the number 3"},
    {"molecule { beads = 1, copies = 1e7 }", "memory limit", NULL},
    {"molecule { beads = 3, bonds = 'chain', length = {1, 1e-300} }", "out of the range of numbers",
     NULL},
    {"bonds { {1, 2, 1} }", "bonds needs beads", "molecule{...}"},
    {"molecule { beads = 2 } bonds { {1, 2} }", "bond 1 has no length", NULL},
    {"molecule { beads = 2 } bonds { molecule = {}, {1, 2, 1} }", "number of a molecule", NULL},
    {"molecule { beads = 2 } bonds { {1, 2, 3, 4} }", "list of 2 beads as entry 1 of bonds", NULL},
    {"molecule { beads = 2 } angles { k = 1 }", "no bead has two bonds", NULL},
    {"molecule { beads = 3 } angles { {1, 2, 3} }", "angles needs k", NULL},
    {"molecule { beads = 3 } angles { k = 1, theta = 109, {1, 2, 3} }", "in radians", "found 109"},
    {"molecule { beads = 3 } angles { k = 1, kind = 'linear', {1, 2, 3} }",
     "\"harmonic\" or \"cosine\"", "linear"},
    {"molecule { beads = 3 } torsions { k = 1 }", "no three bonds in a row", NULL},
    {"molecule { beads = 4 } torsions { k = 1, n = 7, {1, 2, 3, 4} }", "n of torsions",
     "from 1 to 6"},
    {"pair_potential { kind = 'wca' }", "pair_potential needs beads", NULL},
    {"molecule { beads = 2 } pair_potential {}", "needs kind", "wca"},
    {"molecule { beads = 2 } pair_potential { kind = 'morse' }", "\"morse\" is not known",
     "lennard_jones"},
    {"molecule { beads = 2 } pair_potential { kind = 'wca', cutoff = 2 }", "omit cutoff", NULL},
    {"molecule { beads = 2 } pair_potential { kind = 'wca', sigma = 0 }", "sigma must be above 0",
     NULL},
    {"molecule { beads = 2 } pair_potential { kind = 'lennard_jones', switch = 3 }",
     "switch must be", "jump"},
    {"molecule { beads = 2 } pair_potential { kind = 'lennard_jones', smooth = 8 }", "smooth",
     "from 0 to 7"},
    {"molecule { beads = 2 } pair_potential { kind = 'lennard_jones', box = 4 }",
     "twice the cutoff", "5"},
    {"molecule { beads = 2 } pair_potential { kind = 'lennard_jones', box = {9, 9} }",
     "box = {a, b, c}", NULL},
    {"molecule { beads = 1 } pair_potential { kind = 'wca' }", "at least two beads", NULL},
    {"molecule { beads = 3, species = {'A', 'B'} }", "list of 3 names, for species", NULL},
    {"molecule { beads = 3, species = {'A', 'B', 7} }", "the name of a species", "7"},
    {"molecule { beads = 2 } pair_potential { kind = 'wca', species = { A = { epsilon = 1, sigma = "
     "1 } } }",
     "bead 1 has no species", "species = \"name\""},
    {"molecule { beads = 2, species = 'B' } pair_potential { kind = 'wca', species = { A = { "
     "epsilon = 1, sigma = 1 } } }",
     "needs species = { B = {", NULL},
    {"molecule { beads = 2, species = 'A' } pair_potential { kind = 'wca', species = { A = { "
     "epsilon = 1 } } }",
     "species \"A\" of pair_potential needs sigma", NULL},
    {"molecule { beads = 2, species = 'A' } pair_potential { kind = 'wca', species = { A = { "
     "epsilon = 1, sigma = 1, charge = 1 "
     "} } }",
     "epsilon and sigma alone", "charge"},
    {"molecule { beads = 2, species = 'A' } pair_potential { kind = 'wca', sigma = 2, species = { "
     "A = { epsilon = 1, sigma = 1 } "
     "} }",
     "omit sigma", NULL},
    {"molecule { beads = 2, species = 'A' } pair_potential { kind = 'wca', species = { A = { "
     "epsilon = -1, sigma = 1 } } }",
     "at least 0", NULL},
    {"molecule { beads = 2, species = 'A' } pair_potential { kind = 'wca', mixing = 'none', "
     "species = { A = { epsilon = 1, sigma "
     "= 1 } } }",
     "mixing rule \"none\"", "geometric"},
    {"molecule { beads = 2, species = 'A' } pair_potential { kind = 'wca', species = { A = { "
     "epsilon = 1, sigma = 1 } }, special "
     "= {{'A', "
     "'C', epsilon = 1, sigma = 1}} }",
     "no bead is of the species \"C\"", NULL},
    {"molecule { beads = 2 } pair_potential { kind = 'wca', mixing = 'geometric' }",
     "mixing, which needs species", NULL},
    {"molecule { beads = 2 } pair_potential { kind = 'wca', exclude = 4 }", "exclude",
     "from 0 to 3"},
    {"molecule { beads = 2 } pair_potential { kind = 'wca', exclude = 3, scale_14 = 0.5 }",
     "leaves no pairs 1-4", NULL},
    {"molecule { beads = 2 } pair_potential { kind = 'wca', scale_14 = -1 }", "scale_14",
     "negative"},
    /* the sandbox: doors */
    {" os.execute('true')", "'os' is not available", "no access to files"},
    {" io.open('/etc/passwd')", "'io' is not available", "no access to files"},
    {" require('os')", "there is no module \"os\"", "shipped modules only"},
    {" require('/etc/passwd')", "the name of a module", "/etc/passwd"},
    {" require()", "the name of a module", "found nothing"},
    {" require('vectors').vec3(1, 2)", "expected a number or an expression as z of a vector",
     "bad.lua:2:"},
    {" local V = require('vectors') local a = V.identity() + V.vec3(1, 2, 3)",
     "only a matrix is added to a matrix", "bad.lua:2:"},
    {" local V = require('vectors') local a = V.identity() - x",
     "only a matrix is subtracted from a matrix", "bad.lua:2:"},
    {" local a = x*require('vectors').vec3(1, 2, 3) + 1", "only a vec3 can be on both sides of +",
     "bad.lua:2:"},
    {" local v = require('vectors').vec3(1, 2, x) local a = v*v", "dot(a, b) or cross(a, b)",
     "bad.lua:2:"},
    {" local a = x*{}", "expected an expression or a finite number", "table"},
    {" load('return 1')", "'load' is not available", NULL},
    {" dofile('/etc/passwd')", "'dofile' is not available", NULL},
    {" debug.getregistry()", "'debug' is not available", NULL},
    {" collectgarbage()", "'collectgarbage' is not available", NULL},
    {" coroutine.wrap(function() end)", "'coroutine' is not available", NULL},
    {" print(x)", "'print' is not available", "observe"},
    {" string.dump(function() end)", "'string.dump' is not available", NULL},
    {" local a = ('x'):dump()", "'string.dump' is not available", NULL},
    {" math.randomseed(1)", "'math.randomseed' is not available", "-P seed"},
    {" local a = _G.os", "'_G' is not available", NULL},
    {" local a = _ENV.os", "'os' is not available", NULL},
    {"\033Lua", "bad.lua: expected a text", "compiled chunk"},
    /* the sandbox: metatables */
    {" assert(getmetatable('').__index)", "attempt to index a boolean", NULL},
    {" getmetatable(x).__add = nil", "attempt to index a boolean", NULL},
    {" setmetatable(_ENV, {})", "protected metatable", NULL},
    {" setmetatable(math, {})", "protected metatable", NULL},
    {" setmetatable(x, {})", "table expected", NULL},
    {" setmetatable({}, { __gc = function() while true do end end })", "__gc is not allowed", NULL},
    {" setmetatable({}, { __mode = 'k' })", "__mode is not allowed", NULL},
    {" local m = {} setmetatable({}, m) m.__mode = 'v'", "__mode is not allowed", NULL},
    {" local m = {} setmetatable({}, m) m.__gc = function() end setmetatable({}, m)",
     "bad.lua:2: a metatable with __gc", NULL},
    {" local m = {} setmetatable({}, m) m.__add = function() end",
     "__add of a metatable was changed", "set it before"},
    {" local m = { __metatable = 1 } local t = setmetatable({}, m) setmetatable(t, nil)",
     "protected metatable", NULL},
    {" table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 1)",
     "__len cannot be used", NULL},
    {" table.move({}, 1, 1 << 60, 2)", "'table.move' is not available", NULL},
    {" error({})", "stopped with an error that is a table", NULL},
    {" error(setmetatable({}, { __tostring = function() while true do end end }))",
     "error that is a table", NULL},
    /* the sandbox: time */
    {" while true do end", "bad.lua:2:", "limit of"},
    {" while true do pcall(function() while true do end end) end", "limit of", "instructions"},
    {" local function f() while true do end end while true do pcall(pcall, f) end", "limit of",
     "instructions"},
    {" local function f() local t <close> = setmetatable({}, { __close = function() while true do "
     "end end }) while true do end "
     "end "
     "f()",
     "limit of", "instructions"},
    {" local function f() return f() end f()", "limit of", "instructions"},
    {" flow(function(h) while true do end end)", "limit of", "instructions"},
    {" local t = {} for i = 1, 1000 do t[i] = i end while true do table.sort(t) end", "limit of",
     "instructions"},
    {" local t = {} for i = 1, 100000 do t[i] = i end while true do table.insert(t, 1, "
     "table.remove(t)) end",
     "limit of", "instructions"},
    {" local s = ('a'):rep(100000) while true do local t = s .. s .. s .. s .. s .. s end",
     "limit of", "instructions"},
    {" local a = ('a'):rep(1000):find(('a*'):rep(20) .. 'b')", "too many steps", "1000"},
    {" local s = ('a'):rep(3000) while true do s:find('.-b') end", "limit of", "instructions"},
    /* the sandbox: what one call into C could do */
    {" local s = ('a'):rep(60):find(('a?'):rep(60) .. 'b')", "too many steps", "60"},
    {" local s = ('a'):rep(3000):find('[' .. ('b'):rep(100000) .. ']*c')", "too many steps", NULL},
    {" local s = ('a'):rep(1 << 20) s:find(('a'):rep(1 << 19) .. 'b', 1, true)", "too many steps",
     NULL},
    {" table.concat(setmetatable({}, { __index = getmetatable, __metatable = '' }), '', 1, 1 << "
     "62)",
     "limit of", "instructions"},
    {" table.concat(setmetatable({}, { __index = function() return '' end }), '', 1, 1 << 40)",
     "limit of", "instructions"},
    {" local s = ('a'):rep(900000) while true do pcall(s.byte, s, 1, -1) end", "limit of",
     "instructions"},
    /* the sandbox: memory */
    {" local a = ('x'):rep(1 << 40)", "string.rep would create", NULL},
    {" local a = (''):rep(1 << 62, 'xx')", "string.rep would create", NULL},
    {" local a = (''):rep(1 << 62) error('an empty string')", "an empty string", NULL},
    {" local s = 'x' while true do s = s .. s end", "memory limit", "string"},
    {" local s = ('x'):rep(1 << 20) s = s .. s", "a string of more than 1 MiB", NULL},
    {" local t = {} for i = 1, 1e9 do t[i] = {} end", "memory limit", "MiB"},
    {" local t = {} while true do pcall(function() for i = 1, 1e9 do t[#t + 1] = { i } end end) "
     "end",
     "memory limit", "MiB"},
    {" local H = x for i = 1, 1e9 do H = H + i*px end hamiltonian(H)", "memory limit", "MiB"},
    {" pairs_of('y', 400000000)", "memory limit", "MiB"},
    {" for i = 1, 1e9 do constrain('g' .. i, x - i) end", "memory limit", "MiB"},
    {" local function f() return 1 + f() end f()", "memory limit", NULL},
    {" local s = 'x' s = s:rep(1 << 20) local t = s:gsub('x', s)", "memory limit", NULL},
};

/* NULL if row i is refused as it should be, else what is wrong. */
static const char *fault_of_row(size_t i, rattle_error *error) {
  char text[600];
  rattle_model_options options = {.max_instructions = 20000000, .max_memory = (size_t)64 << 20};
  rattle_model *model = NULL;
  int bare = rows[i].text[0] != ' ';
  snprintf(text, sizeof text, "%s%s", bare ? "" : "local x, px = pair('x') hamiltonian(px^2/2)\n",
           rows[i].text);
  rattle_status status = rattle_model_parse(&model, text, "bad.lua", &options, error);
  rattle_model_destroy(&model);
  if (!status) return "was accepted";
  if (status != RATTLE_BAD_MODEL || error->status != status) return "has the wrong status";
  if (!strstr(error->message, rows[i].says)) return "does not say the first text";
  if (rows[i].and_says && !strstr(error->message, rows[i].and_says))
    return "does not say the second text";
  if (strncmp(error->where, "bad.lua", 7) != 0) return "does not say where";
  return NULL;
}

static void each_is_refused_with_a_sentence(void **state) {
  (void)state;
  int faults = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    rattle_error error = {.message = ""};
    const char *fault = fault_of_row(i, &error);
    if (fault) print_error("%s: %s: %s\n", rows[i].text, fault, error.message);
    faults += fault != NULL;
  }
  assert_int_equal(faults, 0);
}

#define ZEROS "local a, b = ('\\0'):rep(1 << 20), ('\\0'):rep(1 << 20) "
#define TEN(text) text text text text text text text text text text
#define TWO_HUNDRED(text) TEN(TEN(text)) TEN(TEN(text))

/* Whatever a model does, the clock ends it. */
static void the_clock(void **state) {
  (void)state;
  static const char *const texts[] = {
      "while true do end", "while true do pcall(function() while true do end end) end",
      "while true do pcall(string.rep, 'x', 1 << 19) end",
      "while true do pcall(string.rep, 'x', 1 << 40) end",
      "local t = {} for i = 1, 1000 do t[i] = 'xx' end while true do pcall(table.concat, t, ',') "
      "end",
      "local t = {} for i = 1, 2e5 do t[i] = 1e308 end local s = ('%99.99f'):rep(1e5) "
      "while true do pcall(string.format, s, table.unpack(t)) end",
      "local t = {} for i = 1, 1e6 do t[i] = i end for i = 1, 1e6 do t[i] = nil end while true do "
      "next(t) end",
      /* one comparison of these takes 40 ms */
      ZEROS "while true do local c = b < a " TWO_HUNDRED(" or b < a ") " end",
      ZEROS "local t = {} for i = 1, 1000 do t[i] = i % 2 == 0 and a or b end while true do "
            "pcall(table.sort, t) end",
      /* what is closed after the limit was passed */
      ZEROS "local m = { __close = function() for i = 1, 300 do local c = b < a end end } "
            "local function f(n) local t <close> = setmetatable({}, m) if n > 0 then f(n - 1) end "
            "while true do end end f(1000)",
      "local t = {} for i = 1, 1e6 do t[i] = i end setmetatable(t, { __close = pairs }) "
      "local function f(n) local t <close> = t if n > 0 then f(n - 1) end while true do end end "
      "f(5000)",
      "local t = setmetatable({}, { __index = function(t, k) while true do end end, __close = "
      "function(t) pcall(rawlen, t.x) end "
      "}) "
      "local function f(n) local t <close> = t if n > 0 then f(n - 1) end return t.x end f(1000)",
      "local a, b = ('a'):rep(1 << 20), ('a'):rep((1 << 20) - 1) .. 'b' while true do local c = a "
      "< b end",
      "local s = ('a'):rep(500) while true do s:find('.-.-b') end",
      "local s = ('1'):rep(1 << 20) while true do tonumber(s) end",
      "local t = {} for i = 1, 3e4 do t[i] = i end while true do table.concat(t) end"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    rattle_error error = {0};
    rattle_model *model;
    const rattle_model_options options = {.struct_size = sizeof options,
                                          .max_instructions = (long long)1 << 60,
                                          .max_memory = (size_t)1 << 30,
                                          .max_seconds = 0.1};
    assert_int_equal(rattle_model_parse(&model, texts[i], "slow.lua", &options, &error),
                     RATTLE_BAD_MODEL);
    if (!strstr(error.message, "limit of 0.1 s")) fail_msg("%s: %s", texts[i], error.message);
  }
}

/* The caller's flag ends what the clock ends, in instructions and in functions of C. */
static void the_flag(void **state) {
  (void)state;
  static const char *const texts[] = {"while true do end", "while true do pcall(error, 1) end",
                                      "local s = ('a'):rep(500) while true do s:find('.-.-b') end"};
  const volatile int flag = 1;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    rattle_error error = {0};
    rattle_model *model;
    const rattle_model_options options = {.struct_size = sizeof options, .interrupt = &flag};
    assert_int_equal(rattle_model_parse(&model, texts[i], "long.lua", &options, &error),
                     RATTLE_INTERRUPTED);
    assert_null(model);
    assert_string_equal(error.message, "long.lua: interrupted while the model was read");
  }
}

/* Lua's compiler runs without hooks: names are sought in all functions around them. A compiler that
 * went on to the end of the text would miss the ends of the functions. Cheap instructions first:
 * its arrays, whose growth reads the clock too, have room for the others. */
static void the_clock_of_the_compiler(void **state) {
  (void)state;
  enum { DEPTH = 150, LOCALS = 180, CHEAP = 40000, NAMES = 12000, ROOM = 1 << 20 };
  char *text = malloc(ROOM), *at = text;
  assert_non_null(text);
  for (int d = 0; d < DEPTH; d++) {
    at += sprintf(at, "local function f%d() local v", d);
    for (int i = 0; i < LOCALS; i++) at += sprintf(at, ",v%d_%d", d, i);
    at += sprintf(at, "\n");
  }
  at += sprintf(at, "local z=1 ");
  for (int i = 0; i < CHEAP; i++) at += sprintf(at, "z=-z ");
  for (int i = 0; i < NAMES; i++) at += sprintf(at, "a=a ");
  assert_true(at < text + ROOM);
  rattle_error error = {0};
  rattle_model *model;
  const rattle_model_options options = {.struct_size = sizeof options, .max_seconds = 0.1};
  assert_int_equal(rattle_model_parse(&model, text, "slow.lua", &options, &error),
                   RATTLE_BAD_MODEL);
  free(text);
  assert_non_null(strstr(error.message, "limit of 0.1 s"));
}

/* Functions of C that pass over a whole table are short, since tables are. */
static void the_largest_table(void **state) {
  (void)state;
  static const char *const texts[] = {"local t = {} for i = 1, 1e8 do t[i] = i end",
                                      "local t = {} for i = 0.5, 1e8 do t[i] = i end"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    rattle_error error = {0};
    rattle_model *model;
    const rattle_model_options options = {
        .struct_size = sizeof options, .max_memory = (size_t)4 << 30, .max_seconds = 3600};
    assert_int_equal(rattle_model_parse(&model, texts[i], "long.lua", &options, &error),
                     RATTLE_BAD_MODEL);
    assert_non_null(strstr(error.message, "more than 256 MiB"));
  }
}

static void parameters_that_are_not_asked_for(void **state) {
  (void)state;
  static const char text[] = "local x, px = pair('x') hamiltonian(px*parameter('gravity', 1))";
  rattle_error error;
  rattle_model *model;
  rattle_model_options options = {.parameters = (rattle_parameter[]){{"gravty", 2}},
                                  .parameter_count = 1};
  assert_int_equal(rattle_model_parse(&model, text, "bad.lua", &options, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "no parameter \"gravty\"; did you mean \"gravity\"?"));
  options.parameters = (rattle_parameter[]){{"seed", 2}};
  assert_int_equal(rattle_model_parse(&model, text, "bad.lua", &options, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "no parameter \"seed\""));
  options.parameters = (rattle_parameter[]){{"gravity", 0.0 / 0.0}};
  assert_int_equal(rattle_model_parse(&model, text, "bad.lua", &options, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "not a finite number"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_refused_with_a_sentence),
      cmocka_unit_test(the_clock),
      cmocka_unit_test(the_flag),
      cmocka_unit_test(the_clock_of_the_compiler),
      cmocka_unit_test(the_largest_table),
      cmocka_unit_test(parameters_that_are_not_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
