package doctor_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

var update = flag.Bool("update", false, "rewrite testdata")

// Whatever hangs, and does not even notice that its time is over, a run ends in time
// and the other checks tell what they saw.
func TestARunEndsWhateverHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dead := make(chan struct{})
		w := good().world()
		w.Storage = doctor.NewProbe(func(context.Context) (doctor.Disk, error) {
			<-dead
			return doctor.Disk{}, nil
		})
		w.Chain = doctor.NewProbe(func(ctx context.Context) (doctor.ChainState, error) {
			<-ctx.Done()
			return doctor.ChainState{}, ctx.Err()
		})
		began := time.Now()
		results := doctor.Run(t.Context(), w, doctor.Checks(), doctor.Options{Limit: 13 * time.Second})
		if took := time.Since(began); took > 14*time.Second {
			t.Errorf("took %s", took)
		}
		for _, r := range results {
			switch {
			case r.Name == "storage.clock" || r.Name == "chain.spare" || r.Group == doctor.GroupGPU:
				if r.Status != doctor.Pass {
					t.Errorf("%s: %s %q", r.Name, r.Status, r.Evidence)
				}
			case r.Name == "storage.space" || r.Name == "chain.id":
				if r.Status != doctor.Warn || r.Code != fault.CheckUnfinished {
					t.Errorf("%s: %s %s", r.Name, r.Status, r.Code)
				}
			}
		}
		close(dead)
	})
}

// A check that cannot look, for a reason that is another check's business, leaves it
// to that one.
func TestAFailedLook(t *testing.T) {
	t.Parallel()
	w := good().world()
	w.Machine = doctor.FixedProbe(doctor.Machine{}, fault.New(fault.LogDirUnusable, "look", "gone"))
	for _, r := range doctor.Run(t.Context(), w, doctor.Select(doctor.Words{"host.logs", "host.files"}),
		doctor.Options{Limit: time.Second}) {
		if want := map[string]doctor.Status{"host.logs": doctor.Fail,
			"host.files": doctor.Skip}[r.Name]; r.Status != want {
			t.Errorf("%s: %s %q", r.Name, r.Status, r.Evidence)
		}
	}
	w = good().world()
	w.Machine = doctor.FixedProbe(doctor.Machine{}, errors.New("odd\nmore"))
	r := doctor.Run(t.Context(), w, doctor.Select(doctor.Words{"host.files"}), doctor.Options{Limit: time.Second})[0]
	if r.Status != doctor.Warn || r.Code != fault.CheckUnfinished || r.Evidence[0] != "odd" {
		t.Errorf("%+v", r)
	}
}

func TestRepairs(t *testing.T) {
	t.Parallel()
	done := 0
	f := good()
	f.disk.Mode, f.secrets[0].Mode, f.secrets[1].Mode = 0o755, 0o644, 0o644
	f.disk.RestrictMode = &doctor.Repair{Do: "close it", Run: func(context.Context) error { done++; return nil }}
	f.secrets[0].Repair = &doctor.Repair{Do: "close the file",
		Run: func(context.Context) error { return errors.New("denied\nx") }}
	only := doctor.Words{"storage.mode", "secrets.files", "secrets.token"}
	for _, r := range doctor.Run(t.Context(), f.world(), doctor.Select(only), doctor.Options{Limit: time.Second}) {
		if r.Repaired != "" || r.Name == "storage.mode" && r.Repair != "close it" {
			t.Errorf("without -fix: %+v", r)
		}
	}
	if done != 0 {
		t.Error("mended unasked")
	}
	for _, r := range doctor.Run(t.Context(), f.world(), doctor.Select(only),
		doctor.Options{Limit: time.Second, Fix: true}) {
		switch r.Name {
		case "storage.mode":
			if r.Status != doctor.Pass || r.Repaired != "close it" || r.Code != "" {
				t.Errorf("%+v", r)
			}
		case "secrets.files":
			if r.Status != doctor.Warn || r.Repaired != "" ||
				!strings.Contains(strings.Join(r.Evidence, "|"), "could not close the file: denied") {
				t.Errorf("%+v", r)
			}
		case "secrets.token":
			if r.Status != doctor.Fail {
				t.Errorf("%+v", r)
			}
		}
	}
	if done != 1 {
		t.Errorf("mended %d times", done)
	}
}

func TestStatusAndWaivers(t *testing.T) {
	t.Parallel()
	f := good()
	f.machine.OnPath, f.disk.Mode = "", 0o777
	for _, tt := range []struct {
		ignore string
		exit   int
	}{{"", 2}, {"storage", 1}, {"storage.mode", 1}, {"storage.mode,host.command", 0}, {"host", 2}} {
		words, err := doctor.ParseWords(tt.ignore)
		if err != nil {
			t.Fatal(err)
		}
		report := doctor.NewReport("1", now, doctor.Run(t.Context(), f.world(), doctor.Checks(),
			doctor.Options{Limit: time.Second, Ignored: words.Match}))
		if got := report.Status.Exit(); got != tt.exit {
			t.Errorf("-ignore %q: exit %d, want %d", tt.ignore, got, tt.exit)
		}
		c := report.Counts
		if c.Pass+c.Warn+c.Fail+c.Skip+c.Ignored != len(doctor.Checks()) {
			t.Errorf("%+v", c)
		}
	}
	if _, err := doctor.ParseWords("chain,nonsense"); !errors.Is(err, fault.CommandLineInvalid) {
		t.Errorf("unknown word: %v", err)
	}
	if got := doctor.Select(doctor.Words{"gpu", "host.files"}); len(got) != 8 || got[0].Name != "host.files" {
		t.Errorf("%d chosen", len(got))
	}
	skipped := doctor.NewReport("1", now, []doctor.Result{{Status: doctor.Skip}})
	if skipped.Status != doctor.Pass || skipped.Status.Exit() != 0 {
		t.Error("what is skipped counts as a problem")
	}
}

// report is one with every kind of result.
func report(t *testing.T) *doctor.Report {
	t.Helper()
	f := good()
	f.machine.OnPath, f.setup.OffChain, f.disk.Mode = "", true, 0o777
	f.disk.RestrictMode = &doctor.Repair{Do: "set the mode of /data to 0700",
		Run: func(context.Context) error { return nil }}
	f.machine.Free = 1 << 20
	only, _ := doctor.ParseWords("host.command,host.memory,host.files,keys,storage.mode,storage.space")
	ignore, _ := doctor.ParseWords("host.memory")
	r := doctor.NewReport("1.2.3", now, doctor.Run(t.Context(), f.world(), doctor.Select(only),
		doctor.Options{Limit: time.Second, Ignored: ignore.Match}))
	r.Millis, r.Running = 1234, true
	return &r
}

// The JSON is a contract: a change of testdata other than an addition breaks programs.
func TestGolden(t *testing.T) {
	t.Parallel()
	r := report(t)
	for name, write := range map[string]func(w io.Writer) error{
		"report.json":      r.WriteJSON,
		"report.txt":       func(w io.Writer) error { return r.WriteText(w, doctor.Style{Width: 80}) },
		"report.color.txt": func(w io.Writer) error { return r.WriteText(w, doctor.Style{Width: 80, Color: true}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%s (go test -update writes it): %v\n%s", name, err, b.String())
		}
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	t.Parallel()
	f := good()
	f.chain.Findings = []doctor.Finding{{Code: fault.ChainUnavailable,
		Detail: strings.Repeat("reason after reason ", 20)}}
	r := doctor.NewReport("1", now, doctor.Run(t.Context(), f.world(), doctor.Checks(),
		doctor.Options{Limit: time.Second}))
	var b bytes.Buffer
	if err := r.WriteText(&b, doctor.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		// A word is never broken: it may have to be copied.
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 && len(strings.Fields(line)) > 2 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("colors were not asked for")
	}
	if r.Worst() != fault.ChainUnavailable {
		t.Errorf("the worst is %s", r.Worst())
	}
}

// What a check quotes, as the answer of a program that has taken the admin port, steers no
// terminal and looks like no other line.
func TestQuotedTextSteersNoTerminal(t *testing.T) {
	t.Parallel()
	const hostile = "\x1b]52;c;cm0gLXJm\x07\u009b2J\r\u202eall is well\x7f"
	for _, status := range []doctor.Status{doctor.Pass, doctor.Skip, doctor.Warn, doctor.Fail} {
		r := doctor.NewReport("1", now, []doctor.Result{{
			Name: "network.reach", Group: doctor.GroupNetwork, Title: "x", Status: status,
			Code: fault.PortClosed, Remedy: "y", Evidence: []string{hostile},
		}})
		var b bytes.Buffer
		if err := r.WriteText(&b, doctor.Style{Width: 200, All: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "all is well") || strings.ContainsAny(b.String(), "\x1b\x07\r\x7f\u009b\u202e") {
			t.Errorf("%v: %q", status, b.String())
		}
	}
}

func TestListAndDocument(t *testing.T) {
	t.Parallel()
	var list, doc bytes.Buffer
	if err := errors.Join(doctor.WriteList(&list, doctor.Checks()), doctor.WriteDoc(&doc)); err != nil {
		t.Fatal(err)
	}
	for _, c := range doctor.Checks() {
		if !strings.Contains(list.String(), c.Name+" ") || !strings.Contains(doc.String(), "`"+c.Name+"`") {
			t.Errorf("%s is missing", c.Name)
		}
	}
}
