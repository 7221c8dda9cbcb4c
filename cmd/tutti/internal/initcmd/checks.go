package initcmd

import (
	"context"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/doctorcmd"
	"github.com/tuttinode/tutti/core/doctor"
)

// checks runs the doctor's and says in a line what came of them. What fails is listed with
// its remedy, because the node cannot work before; warnings can wait.
func (t *initTool) checks(ctx context.Context) {
	in := command.Input(t.nodeFlags())
	report := doctorcmd.CheckNode(ctx, in)
	c := report.Counts
	t.console.Report("")
	t.console.Report("Checked: %d pass, %d warn, %d fail; %s", c.Pass, c.Warn, c.Fail,
		"tutti doctor "+strings.Join(in.Args, " ")+" shows them")
	t.failing = report.Status == doctor.Fail
	if !t.failing {
		return
	}
	t.console.Report("%s", t.console.ReportStyle.Bad("Fix first:"))
	for _, one := range report.Results {
		if one.Status == doctor.Fail {
			t.console.Report("  %s: %s", one.Code, strings.Join(one.Evidence, "; "))
			t.console.Report("    %s", one.Remedy)
		}
	}
}
