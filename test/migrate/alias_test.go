package migrate

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the notices anew")

const golden = "testdata/notices.txt"

// Every collected way to start the existing node is understood as it is, and what
// the operator sees is written down.
func TestEveryCaseIsUnderstood(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, path := range cases(t) {
		s := prepare(t, path)
		out, err := s.command(t, "config check", "").CombinedOutput()
		text := strings.ReplaceAll(string(out), s.root, "")
		// The status also says whether this machine can serve the models, which is no
		// matter of what was written.
		if !strings.HasPrefix(text, "The configuration is valid") {
			t.Errorf("%s: %v\n%s", s.name, err, text)
		}
		all.WriteString("== " + s.name + "\n" + notices(text))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if all.String() != string(want) {
		t.Errorf("what operators are told is now\n%s\nIf that is meant: go test ./test/migrate -run Understood -update",
			all.String())
	}
}

var noticePart = regexp.MustCompile(`(?m)^Notices(?: about AI models)?\n((?:  .*\n)*)`)

// notices are what the check tells besides the values.
func notices(text string) (all string) {
	for _, found := range noticePart.FindAllStringSubmatch(text, -1) {
		all += found[1]
	}
	return all
}
