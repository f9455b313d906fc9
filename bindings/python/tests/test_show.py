"""Displays in notebooks: figures, HTML; frames of pandas and xarray; reports."""
import html.parser
import os
import sys
import tempfile
import unittest
import unittest.mock

import common

common.need("matplotlib", "pandas", "xarray")
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import numpy  # noqa: E402

import rattle  # noqa: E402


class Show(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = rattle.load(common.example("pendulum"))
        cls.run_ = cls.model.run(steps=200, every=10)

    def test_plot(self):
        upper, lower = self.run_.plot()
        self.assertEqual([line.get_label() for line in upper.lines], ["x", "y"])
        numpy.testing.assert_array_equal(lower.lines[0].get_ydata(), self.run_.energy - self.run_.energy[0])
        ax = self.run_.plot("y", x="x")
        numpy.testing.assert_array_equal(ax.lines[0].get_xydata(), self.run_.q)
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel(), ax.get_aspect()), ("x", "y", 1.0))
        self.assertIs(self.run_.plot("px", "py", ax=ax), ax)

    def test_html(self):
        shown = self.model._repr_html_()
        for part in ("Planar pendulum", "gravity = 1", r"$$H = \frac{p_{x}^{2} + p_{y}^{2}}{2} + y$$", r"$$0 = x^{2} + y^{2} - 1"):
            self.assertIn(part, shown)
        shown = self.run_._repr_html_()
        for part in ("rattle(verlet)", "200 steps of 0.025", "image/svg+xml", "largest"):
            self.assertIn(part, shown)
        m = rattle.Model("<script>")
        x, px = m.pair("x")
        m.hamiltonian(px**2)
        m.constrain("<b>", x)
        self.assertNotIn("<script>", m._repr_html_())
        self.assertIn("(&lt;b&gt;)", m._repr_html_())

    def test_live(self):
        """The cell has the page to the letter, in a frame apart from the notebook; the command gets the model as it is."""
        page = '<!doctype html>\n<title>"a" & \'b\'</title></iframe><p>&amp; \u00e4</p>'
        with tempfile.TemporaryDirectory() as folder:
            fake, seen = os.path.join(folder, "rattle"), os.path.join(folder, "seen")
            with open(fake, "w", encoding="utf-8") as file:
                file.write(f"#!{sys.executable}\nimport shutil, sys\nmodel, out = sys.argv[2], sys.argv[4]\nshutil.copy(model, {seen!r})\n"
                           f"open({seen!r} + '.arguments', 'w').write(' '.join(sys.argv[5:]) + ' ' + model.rsplit('/')[-1])\n"
                           f"open(out, 'w', encoding='utf-8').write({page!r})\n")
            os.chmod(fake, 0o755)
            with unittest.mock.patch("rattle.live.command", lambda: fake):
                live = rattle.load(common.example("pendulum"), gravity=1.62).live(step=0.05, method="rattle(verlet)", height=500)
                with open(seen, encoding="utf-8") as file:
                    self.assertEqual(file.read(), self.model.text)
                with open(seen + ".arguments", encoding="utf-8") as file:
                    self.assertEqual(file.read(), "--quiet -P gravity=1.62 --method rattle(verlet) --step 0.05 pendulum.lua")
            frames = []
            reader = html.parser.HTMLParser()
            reader.handle_starttag = lambda tag, attributes: frames.append((tag, dict(attributes)))
            reader.feed(live._repr_html_())
            (tag, frame), = frames
            self.assertEqual((tag, frame["srcdoc"], live.text), ("iframe", page, page))
            self.assertNotIn("allow-same-origin", frame["sandbox"])
            self.assertIn("allow-scripts", frame["sandbox"])
            self.assertIn("height:500px", frame["style"])
            written = os.path.join(folder, "page.html")
            live.save(written)
            with open(written, encoding="utf-8") as file:
                self.assertEqual(file.read(), page)
            with self.assertRaises(FileExistsError):
                live.save(written)

    def test_live_of_this_command(self):
        moved = self.model.copy()
        moved.start(x=0.6, y=-0.8)
        with self.assertRaisesRegex(rattle.BadArgument, "starts in the text"):
            moved.live()
        m = rattle.Model("written in Python")
        x, px = m.pair("x")
        m.hamiltonian(px**2/2 + m.parameter("k", 1)*x**2/2)
        m.start(x=1)
        try:
            live = m.live()
        except rattle.Unsuitable as error:
            self.assertRegex(str(error), "^this rattle was built without the module that runs models in pages: build it by tools/wasm")
            return
        self.assertIn("written in Python", live.text)
        self.assertIn("wasm-unsafe-eval", live.text)

    def test_studies_and_diagnoses(self):
        study = self.model.study("order", ["rattle(verlet)", "ratle"], stop=1.0)
        shown = study._repr_html_()
        for part in ("Planar pendulum: order", "order 2.00; confirmed", "ratle"):
            self.assertIn(part, shown)
        ax = study.plot()
        numpy.testing.assert_array_equal(ax.lines[0].get_ydata(), study["rattle(verlet)"].tables["points"]["error"])
        self.assertEqual((len(ax.lines), ax.get_xlabel(), ax.get_xscale()), (1, "step", "log"))
        drift = self.model.study("drift", ["rattle(verlet)"], stop=10.0).plot()
        self.assertEqual((drift.get_xlabel(), drift.get_ylabel()), ("time", "energy error"))
        with self.assertRaisesRegex(ValueError, "no figure"):
            self.model.advise(1e-3, ["rattle(verlet)"], stop=1.0).plot()
        shown = self.model.check()._repr_html_()
        for part in ("coisotropic, index 3", "{rod,H}: 2*x*px + 2*y*py", "rattle(verlet), step 0.05"):
            self.assertIn(part, shown)

    def test_frames(self):
        frame = self.run_.to_pandas()
        self.assertEqual((frame.index.name, list(frame.columns)[:3]), ("time", ["step", "x", "y"]))
        numpy.testing.assert_array_equal(frame["x"], self.run_["x"])
        data = self.run_.to_xarray()
        self.assertTrue(numpy.shares_memory(data["q"].values, self.run_.q))
        numpy.testing.assert_array_equal(data["q"].sel(coordinate="y"), self.run_["y"])
        numpy.testing.assert_array_equal(data["multipliers"].sel(constraint="rod"), self.run_["lambda[rod]"])
        self.assertEqual(data.attrs["method"], "rattle(verlet)")

    def test_records_too(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_.save(os.path.join(folder, "run.h5"))
            record = rattle.open(os.path.join(folder, "run.h5"))
            numpy.testing.assert_array_equal(record.to_pandas()["px"], self.run_["px"])
            self.assertEqual(record.plot("x").lines[0].get_ydata().size, 21)
            self.assertIn("Planar pendulum", record.report())

    def test_report(self):
        page = self.run_.report()
        self.assertIn("Planar pendulum", page)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.assertEqual(self.run_.report(path), path)
            with self.assertRaises(OSError):
                self.run_.report(path)
            self.run_.report(path, force=True)
            self.assertGreater(os.path.getsize(path), 100_000)
        m = rattle.Model("Written in Python")
        x, px = m.pair("x")
        m.hamiltonian(px**2/2 + x**2/2)
        m.start(x=1)
        self.assertIn("Written in Python", m.run("verlet", step=0.1, steps=50).report())


class Motion(unittest.TestCase):
    def test_points_move(self):
        """The picture has the points where the samples are: the bob of a pendulum is on its circle in each frame."""
        from xml.etree import ElementTree

        from rattle.display import motion
        run = rattle.load(common.example("double_pendulum")).run(stop=2)
        picture = ElementTree.fromstring(motion(run))
        circles = picture.findall("circle")
        self.assertEqual(len(circles), 2)
        x, y = ([float(v) for v in one.get("values").split(";")] for one in circles[0])
        self.assertEqual(len(x), len(y))
        scale = 180/max(max(run["x1"].max(), run["x2"].max()) - min(run["x1"].min(), run["x2"].min()),
                        max(run["y1"].max(), run["y2"].max()) - min(run["y1"].min(), run["y2"].min()))
        self.assertAlmostEqual(x[-1] - x[0], scale*(run["x1"][::-(-len(run.t)//120)][-1] - run["x1"][0]), delta=0.11)
        self.assertAlmostEqual(y[0] - y[-1], scale*(run["y1"][::-(-len(run.t)//120)][-1] - run["y1"][0]), delta=0.11)
        self.assertIn("<animate", run._repr_html_())
        model = rattle.Model("no plane")
        q, p = model.pair("q")
        model.hamiltonian((p**2 + q**2)/2)
        model.start(q=1)
        self.assertEqual(motion(model.run("verlet", step=0.1, stop=1)), "")


if __name__ == "__main__":
    common.main()
