package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/apikeystore"
)

// counter is randomness that is no surprise.
type counter struct{ n byte }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.n
		c.n++
	}
	return len(p), nil
}

// keyHome runs `tutti key` on one data directory.
type keyHome struct {
	t      *testing.T
	dir    string
	random counter
}

var keyHomeNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// run is one call; what comes back is its status and what it wrote.
func (d *keyHome) run(args ...string) (status int, stdout, stderr string) {
	d.t.Helper()
	var out, errs strings.Builder
	tool := keyTool{now: func() time.Time { return keyHomeNow }, random: &d.random, stdout: &out, stderr: &errs}
	if d.dir != "" {
		args = append(args, "-dataDir", d.dir)
	}
	return tool.run(d.t.Context(), args), out.String(), errs.String()
}

// ok is a call that succeeds; what it wrote on standard output comes back.
func (d *keyHome) ok(args ...string) string {
	d.t.Helper()
	status, stdout, stderr := d.run(args...)
	if status != ExitOK {
		d.t.Fatalf("%q: status %d: %s", args, status, stderr)
	}
	return stdout
}

func TestKeyCommand(t *testing.T) {
	t.Parallel()
	d := &keyHome{t: t, dir: filepath.Join(t.TempDir(), "new")}
	const secret = "tk-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypq\n"
	if got := d.ok("create", "-new", "-name", "app", "-models", "llama*,qwen/3", "-rpm", "60", "-tpm", "1000",
		"-concurrency", "4", "-budget", "1000000", "-period", "month", "-expires", "30d"); got != secret {
		t.Errorf("the secret is %q", got)
	}
	d.ok("create", "-name", "open")
	d.ok("create", "-name", "gone")
	d.ok("limits", "app", "-budgetUSD", "12.50", "-alert", "80")
	d.ok("limits", "app", "-rpm", "0", "-models", "llama*", "-expires", "2027-01-31")
	if got := d.ok("revoke", "gone"); got != "key gone (k-6a6b6c6d6e) revoked\n" {
		t.Errorf("%q", got)
	}
	d.use("k-2021222324", apikeys.Usage{Period: apikeys.Month, Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		Used: 1234, Reserved: 56, Requests: 7, Paid: core.NewWei(77)})
	d.use("k-4546474849", apikeys.Usage{Period: apikeys.Total, Used: 99})
	want := "" +
		"ID            NAME  STATE    MODELS  RPM  TPM   CONCURRENCY  USED        " +
		"BUDGET                            EXPIRES\n" +
		"k-2021222324  app   good     llama*  -    1000  4            1234 (+56)  " +
		"1000000, 0 of 12.5 USD per month  2027-02-01\n" +
		"k-4546474849  open  good     all     -    -     -            99          -                                 never\n" +
		"k-6a6b6c6d6e  gone  revoked  all     -    -     -            0           -                                 never\n"
	if got := d.ok("list"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.json()
}

// use writes a key's counts as a node does.
func (d *keyHome) use(id string, u apikeys.Usage) {
	d.t.Helper()
	s, err := apikeystore.OpenStore(d.t.Context(), d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	u.ID = id
	if err := s.SaveUsage(d.t.Context(), []apikeys.Usage{u}); err != nil {
		d.t.Error(err)
	}
	if err := s.Close(); err != nil {
		d.t.Error(err)
	}
}

func (d *keyHome) json() {
	d.t.Helper()
	want := `  {
    "id": "k-2021222324",
    "name": "app",
    "state": "good",
    "models": [
      "llama*"
    ],
    "rpm": 0,
    "tpm": 1000,
    "concurrency": 4,
    "budget": 1000000,
    "budget_wei": "0",
    "budget_usd": "12.5",
    "alert": 80,
    "period": "month",
    "used": 1234,
    "reserved": 56,
    "paid_wei": "77",
    "held_wei": "0",
    "paid_usd": "0",
    "requests": 7,
    "percent": 0,
    "admin": false,
    "expires": "2027-02-01T00:00:00Z",
    "created": "2026-03-04T05:06:07Z"
  },`
	list := d.ok("list", "-json")
	if !strings.Contains(list, want) || strings.Contains(list, "tk-") || strings.Contains(list, "secret") {
		d.t.Errorf("got %s", list)
	}
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(d.ok("create", "-name", "json", "-json")), &made); err != nil ||
		!strings.HasPrefix(made.Secret, "tk-") {
		d.t.Error(made, err)
	}
}

func TestKeyCommandMistakes(t *testing.T) {
	t.Parallel()
	d := &keyHome{t: t, dir: t.TempDir()}
	d.ok("create", "-new", "-name", "app")
	tests := []struct {
		args   string
		status int
		want   string
	}{
		{"", ExitUsage, "usage: tutti key create"},
		{"make", ExitUsage, "there is no key make"},
		{"create", ExitUsage, "the name is missing"},
		{"create -name a/b", ExitUsage, "KeyInvalid (the name has characters"},
		{"create -name b -rpm -1 -period day", ExitUsage, "rpm: -1 is not between"},
		{"create -name b -rpm x", ExitUsage, "usage: tutti key create"},
		{"create -name b -expires soon", ExitUsage, `"soon" is not a time like 30d`},
		{"create -name b more", ExitUsage, `"more" was not expected`},
		{"create -name app", ExitFailed, "KeyNameTaken"},
		{"create -nmae app", ExitUsage, "-nmae"},
		{"revoke", ExitUsage, "name or ID is missing"},
		{"revoke nobody", ExitFailed, "KeyNotFound"},
		{"limits app", ExitUsage, "nothing to change"},
		{"limits app -json", ExitUsage, "-json"},
		{"create -name b -budgetWei -5", ExitUsage, "budgetWei: \"-5\""},
		{"create -name b -budgetUSD ten", ExitUsage, "not a decimal number of dollars"},
		{"create -name b -alert 80", ExitUsage, "an alert needs a budget"},
		{"create -name b -budget 5 -alert 101", ExitUsage, "alert: 101 is not between"},
		{"spend -by hour", ExitUsage, "none of day, key, model, user, tag"},
		{"spend -from soon", ExitUsage, "not a day such as"},
		{"spend -format xml", ExitUsage, "table, jsonl or csv"},
		{"spend -key nobody", ExitFailed, "KeyNotFound"},
		{"limits app -budget -5", ExitUsage, "budget: -5"},
		{"list -name x", ExitUsage, "-name"},
	}
	for _, tt := range tests {
		status, stdout, stderr := d.run(strings.Fields(tt.args)...)
		if tt.args == "" {
			tool := keyTool{stderr: &strings.Builder{}}
			status = tool.run(t.Context(), nil)
			stderr = tool.stderr.(*strings.Builder).String()
		}
		if status != tt.status || !strings.Contains(stderr, tt.want) || stdout != "" {
			t.Errorf("%q: status %d, %s%s", tt.args, status, stdout, stderr)
		}
	}
	if got := d.ok("list"); strings.Count(got, "\n") != 2 {
		t.Errorf("something was made:\n%s", got)
	}
}

func TestKeyCommandWithoutDirectory(t *testing.T) {
	t.Parallel()
	for what, dir := range map[string]string{"none": filepath.Join(t.TempDir(), "none"), "empty": t.TempDir()} {
		d := &keyHome{t: t, dir: dir}
		for _, args := range [][]string{{"create", "-name", "app"}, {"list"}, {"limits", "app", "-rpm", "1"},
			{"revoke", "app"}, {"spend"}} {
			if status, _, stderr := d.run(args...); status != ExitUsage || !strings.Contains(stderr, "KeyDirUnknown") {
				t.Errorf("%s in a directory that no node has used (%s): %d %s", args[0], what, status, stderr)
			}
		}
		if found, err := os.ReadDir(dir); len(found) > 0 {
			t.Errorf("made %v, %v", found, err)
		}
	}
	d := &keyHome{t: t}
	if status, _, stderr := d.run("list", "-network", "rinkeby"); status != ExitUsage ||
		!strings.Contains(stderr, "retired") {
		t.Errorf("%d %s", status, stderr)
	}
}

func TestKeySpend(t *testing.T) {
	t.Parallel()
	d := &keyHome{t: t, dir: t.TempDir()}
	d.ok("create", "-new", "-name", "app")
	s, err := apikeystore.OpenStore(t.Context(), d.dir)
	if err != nil {
		t.Fatal(err)
	}
	row := func(day, tags string, paid uint64) apikeys.Spend {
		return apikeys.Spend{SpendKey: apikeys.SpendKey{Day: day, ID: "k-2021222324", Name: "app", Pipeline: "llm",
			Model: "m", Tags: tags}, Requests: 1, Prompt: 3, Completion: 4, Units: 5, Paid: core.NewWei(paid)}
	}
	list := []apikeys.Spend{row("2026-03-03", "=x,y", 1), row("2026-03-04", "", 2)}
	if err := s.AddSpend(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	if err := s.AddSpend(t.Context(), list[:1]); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const first = `{"day":"2026-03-03","key_id":"k-2021222324","key":"app","pipeline":"llm","model":"m",` +
		`"user":"","tag":"","requests":2,"tokens_in":6,"tokens_out":8,"units":10,` +
		`"paid_wei":"2","lost_wei":"0","paid_usd":"0"}`
	if got := d.ok("spend", "-format", "jsonl", "-key", "app"); !strings.HasPrefix(got, first+"\n") ||
		strings.Count(got, "\n") != 2 {
		t.Errorf("%s", got)
	}
	csv := d.ok("spend", "-format", "csv", "-by", "tag", "-to", "2026-03-03")
	const want = "day,key_id,key,pipeline,model,user,tag,requests,tokens_in,tokens_out,units,paid_wei," +
		"lost_wei,paid_usd\n" +
		",,,,,,'=x,2,6,8,10,2,0,0\n,,,,,,y,2,6,8,10,2,0,0\n"
	if csv != want {
		t.Errorf("got\n%s\nwant\n%s", csv, want)
	}
	if got := d.ok("spend", "-by", "key"); !strings.Contains(got, "app") || !strings.Contains(got, "PAID (WEI)") {
		t.Errorf("%s", got)
	}
}
