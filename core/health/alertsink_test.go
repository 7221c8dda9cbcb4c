package health_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/health"
)

func TestParse(t *testing.T) {
	t.Parallel()
	list := "https://hooks.example/a?token=s3cr3t, slack+https://hooks.slack.com/services/s3cr3t\n# comment\n" +
		"ntfy+https://:s3cr3t@ntfy.sh/topic\nexec:/usr/local/bin/tell,http://127.0.0.1:9093/x\n" +
		"https://hooks.example/s3cr3t\n"
	sinks, err := health.ParseSinks(list)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range sinks {
		names = append(names, s.Name)
	}
	if got, want := strings.Join(names, "|"),
		"webhook hooks.example|slack hooks.slack.com|ntfy ntfy.sh|exec tell|webhook 127.0.0.1:9093|webhook "+
			"hooks.example (2)"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if strings.Contains(fmt.Sprintf("%+v %#v", sinks, sinks), "s3cr3t") {
		t.Error("an address is shown")
	}
	if sinks[1].Address.Reveal() != "https://hooks.slack.com/services/s3cr3t" || sinks[1].Kind != health.SlackSink {
		t.Errorf("slack: %q", sinks[1].Address.Reveal())
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"https://a/b,s3cr3t":               "address 2: it is neither an address nor a file that exists",
		"teams+https://s3cr3t/x":           "address 1: its kind is unknown",
		"http://s3cr3t.example/x":          "address 1: http would send the address's secret in the clear",
		"ftp://s3cr3t/x":                   "address 1: it has another scheme than https",
		"https://":                         "address 1: it is no valid URL",
		"https://a\x7fs3cr3t/":             "address 1: it is no valid URL",
		"ntfy+https://ntfy.sh/":            "address 1: the topic is missing",
		"exec:s3cr3t":                      "address 1: the program's path is not absolute",
		"https://a/s3cr3t#x":               "address 1: it has a part behind #, which is not sent",
		strings.Repeat("https://a/b,", 17): "address 17: there are more than 16",
	} {
		_, err := health.ParseSinks(list)
		m, ok := errors.AsType[*health.SinkMistake](err)
		if !ok || err.Error() != want || m.Remedy == "" || strings.Contains(m.Remedy, "s3cr3t") {
			t.Errorf("%q: %v", list, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("https://a/b,exec:/x\n#c\nslack+https://u:p@h/")
	f.Fuzz(func(t *testing.T, list string) {
		sinks, err := health.ParseSinks(list)
		if err == nil {
			for _, s := range sinks {
				if s.Name == "" || s.Address.Reveal() == "" {
					t.Errorf("%q: %+v", list, s)
				}
			}
		}
	})
}
