// Package dashboard looks at the operator's page with a real browser: that it loads
// without a complaint, shows what is wrong and what to do, follows the node without a
// reload, can be used without a mouse, and is sound for screen readers.
package dashboard

import (
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// browser is the program that the page is looked at with, and packages where the
// suite's packages are. A machine that has none fails, and says what to do.
func browser(t *testing.T) (program, packages string) {
	t.Helper()
	out, err := exec.Command("../../deploy/deps/deps.sh", "browser").Output()
	if err != nil {
		t.Fatalf("the dashboard is looked at with Chromium, and there is none: %v\nInstall it (apt-get install chromium), "+
			"or let `make parts` get it.", err)
	}
	program = strings.TrimSpace(string(out))
	out, err = exec.Command("../../deploy/deps/deps.sh", "npm", ".").Output()
	if err != nil {
		t.Fatalf("the suite's packages: %v: make parts gets them", err)
	}
	return program, strings.TrimSpace(string(out)) + "/node_modules"
}
