package apikeys_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

const goodFile = `[
  {"name": "app", "key_sha256": "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b",
   "models": ["llama*", "qwen/3"], "rpm": 60, "tpm": 100000, "concurrency": 4,
   "budget": 1000000, "period": "month", "expires": "2027-01-31"},
  {"name": "test", "key": "a secret that is long enough"},
  {"name": "once", "key": "another one that is long enough", "budget": 5}
]`

func TestKeyFile(t *testing.T) {
	t.Parallel()
	f, err := apikeys.ParseFile([]byte(goodFile))
	if err != nil {
		t.Fatal(err)
	}
	k := f.Keys[0]
	if len(f.Keys) != 3 || !f.Secrets || k.Name != "app" || k.Hash != apikeys.HashOf("secret") ||
		!k.Allows("llama-8b") || k.Allows("x") ||
		k.RPM != 60 || k.TPM != 100000 || k.Concurrency != 4 ||
		k.Budget != (apikeys.Budget{Tokens: 1000000, Period: apikeys.Month}) ||
		!k.Expires.Equal(time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", f)
	}
	if f.Keys[1].Hash != apikeys.HashOf("a secret that is long enough") || f.Keys[2].Budget.Period != apikeys.Total {
		t.Errorf("%+v", f.Keys)
	}
	if f, err := apikeys.ParseFile([]byte(" [] \n")); err != nil || len(f.Keys) != 0 || f.Secrets {
		t.Errorf("%+v %v", f, err)
	}
}

func TestKeyFileMistakes(t *testing.T) {
	t.Parallel()
	long := `"key": "long enough to be a secret"`
	tests := []struct{ name, file, want string }{
		{"empty", "", "line 1: the file is not a JSON array"},
		{"an object", `{"name": "app"}`, "line 1: the file is not a JSON array"},
		{"cut short", "[\n{\"name\": \"app\", \"key\"", "line 2: the file ends too early"},
		{"not closed", "[\n{\"name\": \"app\", " + long + "}\n", "line 3: the file ends too early"},
		{"comma", "[\n{\"name\": \"app\", " + long + "}\n{}]", "line 3: not JSON"},
		{"trailing", "[]\n[]", "line 2: something follows"},
		{"a number", "[\n7]", "line 2: a key is an object"},
		{"no name", "[{" + long + "}]", "line 1: the name is missing"},
		{"odd name", `[{"name": "a b", ` + long + "}]", "line 1: the name has characters other"},
		{"ID as name", `[{"name": "k-0123456789", ` + long + "}]", "looks like the ID"},
		{"no key", "[\n{\n\"name\": \"app\"}]", "line 3: key_sha256 or key is missing"},
		{"both", `[{"name": "app", "key_sha256": "00", ` + long + "}]", "both given"},
		{"short", `[{"name": "app", "key": "hunter2"}]`, "shorter than 20"},
		{"hash", `[{"name": "app", "key_sha256": "xyz"}]`, "not 64 hex digits"},
		{"unknown", `[{"name": "app", "rmp": 5, ` + long + "}]", `the field "rmp" is unknown; the fields are name, key,`},
		{"spelling", `[{"Name": "app", ` + long + "}]", `the field "Name" is unknown`},
		{"twice", `[{"name": "app", "name": "b", ` + long + "}]", "name is there twice"},
		{"type", `[{"name": "app", "rpm": "5", ` + long + "}]", "rpm is not a whole number"},
		{"fraction", `[{"name": "app", "rpm": 1.5, ` + long + "}]", "rpm is not a whole number"},
		{"null", `[{"name": null, ` + long + "}]", "name is not a string"},
		{"negative", `[{"name": "app", "budget": -1, ` + long + "}]", "budget: -1 is not between"},
		{"wei", `[{"name": "app", "budget_wei": "-1", ` + long + "}]", "budget_wei is not a whole"},
		{"dollars", `[{"name": "app", "budget_usd": "ten", ` + long + "}]", "budget_usd is not a decimal number of dollars"},
		{"alert", `[{"name": "app", "budget": 5, "alert": 101, ` + long + "}]", "alert: 101 is not between"},
		{"period", `[{"name": "app", "budget": 1, "period": "year", ` + long + "}]", `period: "year" is none of`},
		{"period alone", `[{"name": "app", "period": "day", ` + long + "}]", "a period needs a budget"},
		{"star", `[{"name": "app", "models": ["a*b"], ` + long + "}]", "* stands only at the end"},
		{"expiry", `[{"name": "app", "expires": "30d", ` + long + "}]", "expires is not a date"},
		{"same name", `[{"name": "app", ` + long + "},\n{\"name\": \"app\", \"key\": \"long enough to be another\"}]",
			`line 2: the name "app" is already on line 1`},
		{"same key", `[{"name": "app", ` + long + "},\n{\"name\": \"b\", " + long + "}]",
			"line 2: line 1 has the same key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := apikeys.ParseFile([]byte(tt.file))
			if !errors.Is(err, fault.KeyFileInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
			if err != nil &&
				(strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "long enough")) {
				t.Errorf("shows a key: %v", err)
			}
		})
	}
}

func TestKeyFileSaysEverythingAtOnce(t *testing.T) {
	t.Parallel()
	_, err := apikeys.ParseFile(
		[]byte("[\n{\"name\": \"a b\", \"key\": \"short\", \"rpm\": -1},\n{\"name\": \"b\",\n \"modles\": []},\n7]"),
	)
	for _, want := range []string{"line 2: the name", "line 2: key is shorter", "line 2: rpm",
		"line 4: the field \"modles\"", "line 5: a key"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for text, want := range map[string]string{
		"30d": "2026-02-01T03:04:05Z", "12h": "2026-01-02T15:04:05Z", "2026-01-31": "2026-02-01T00:00:00Z",
		"2026-01-31T12:00:00+01:00": "2026-01-31T11:00:00Z", "never": "0001-01-01T00:00:00Z",
		"": "", "-1d": "", "0d": "", "99999d": "", "soon": "", "-5h": "", "2026-13-01": "",
	} {
		got, err := apikeys.ParseExpiry(text, now)
		if (want == "") != (err != nil) || err == nil && got.Format(time.RFC3339) != want {
			t.Errorf("%q: %v %v, want %s", text, got, err, want)
		}
	}
}

func TestBearerToken(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"Bearer abc": "abc", "bearer  abc ": "abc", "BEARER abc": "abc", "": "", "abc": "", "Basic abc": "", "Bearer": "",
		"Bearer ": "",
	} {
		if got := apikeys.BearerToken(header); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	s, err := apikeys.NewSecret(strings.NewReader(strings.Repeat("\xff", 32)))
	if err != nil || s != "tk-"+strings.Repeat("7", 51)+"q" {
		t.Error(s, err)
	}
	id, err := apikeys.NewID(strings.NewReader("\x01\x02\x03\x04\x05"))
	if err != nil || id != "k-0102030405" || apikeys.CheckName(id) == "" {
		t.Error(id, err)
	}
	if _, err := apikeys.NewSecret(strings.NewReader("short")); err == nil {
		t.Error("a secret without randomness")
	}
	h, err := apikeys.ParseHash(apikeys.HashOf("x").String())
	if err != nil || h != apikeys.HashOf("x") {
		t.Error(h, err)
	}
}

func FuzzKeyFile(f *testing.F) {
	f.Add([]byte(goodFile))
	f.Add([]byte("[{}]"))
	f.Add([]byte(`[{"name":"a","key":"`))
	f.Add([]byte("[{\"name\":\"a\"},\n\n7,,"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := apikeys.ParseFile(data)
		if (file == nil) == (err == nil) {
			t.Fatal(file, err)
		}
		if err != nil {
			if !errors.Is(err, fault.KeyFileInvalid) {
				t.Fatal(err)
			}
			return
		}
		names := map[string]bool{}
		for _, k := range file.Keys {
			if apikeys.CheckName(k.Name) != "" || names[k.Name] || len(k.Check()) > 0 || k.Hash == (apikeys.Hash{}) {
				t.Fatalf("let through: %+v", k)
			}
			names[k.Name] = true
		}
	})
}
