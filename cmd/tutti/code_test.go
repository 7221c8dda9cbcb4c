package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestHelpOfCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[string][]string{
		"portclosed": {"PortClosed (", "Severity: critical; alerts are sent when it lasts for 2m0s\n",
			"tutti doctor --only network."},
		"PublicIPUnknown":   {"Severity: info; no alert is sent\n"},
		"AdminTokenRefused": {"Remedy: "},
	} {
		var out bytes.Buffer
		if err := explainCode(&out, code); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: %q is not in\n%s", code, w, &out)
			}
		}
	}
	var out bytes.Buffer
	if err := explainCode(&out, "PortClsoed"); err == nil || !strings.Contains(err.Error(), "did you mean PortClosed?") ||
		out.Len() > 0 {
		t.Errorf("%v, %s", err, &out)
	}
}
