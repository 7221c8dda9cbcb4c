package fault_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

func TestEveryGradedCodeHasARow(t *testing.T) {
	t.Parallel()
	for _, code := range fault.Graded() {
		if _, known := fault.Lookup(code); !known {
			t.Errorf("%s has a severity and no row", code)
		}
		if lasts := fault.AlertAfter(code); lasts < 0 || lasts > time.Hour {
			t.Errorf("%s fires after %s", code, lasts)
		}
	}
}

func TestSeverityOf(t *testing.T) {
	t.Parallel()
	for code, want := range map[fault.Code]fault.Severity{
		fault.ChainUnavailable: fault.Critical, fault.RewardMissed: fault.Critical,
		fault.GPUThrottled: fault.Warning, fault.SandboxDegraded: fault.Info, fault.SandboxOpen: fault.Critical,
		fault.ModelUnpriced: fault.Warning, "NeverHeardOfIt": fault.Warning,
	} {
		if got := fault.SeverityOf(code); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
	if fault.AlertAfter("NeverHeardOfIt") != fault.AlertAfter(fault.ModelUnpriced) {
		t.Error("an ordinary warning of this release and one of another do not fire after the same time")
	}
}
