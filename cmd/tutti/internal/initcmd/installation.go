package initcmd

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/core/fault"
)

// installation is where a node's files go, and how it is started.
type installation struct {
	Places
	// dir is the configuration's directory; dataDir the one above the networks' data.
	dir, dataDir string
	// packaged: the service of the packages is used; root: the service is the system's.
	packaged, root bool
}

// serviceUser is the user that the packages' service runs as.
const serviceUser = "tutti"

// packagedUnits are where packages put the service.
func packagedUnits() []string {
	return []string{"/usr/lib/systemd/system/tutti.service", "/lib/systemd/system/tutti.service",
		"/etc/systemd/system/tutti.service"}
}

// findInstallation chooses the directory; one that was named holds everything.
func findInstallation(dir string) (installation, error) {
	const op = "choose a directory"
	home, _ := os.UserHomeDir() // without one there is no data directory to look at
	var err error
	p := installation{root: os.Geteuid() == 0}
	switch {
	case dir != "":
		if p.dir, err = filepath.Abs(dir); err != nil {
			return p, fault.Wrap(fault.SetupAnswer, op, err)
		}
	case p.root:
		p.dir = "/etc/tutti"
		for _, unit := range packagedUnits() {
			p.packaged = p.packaged || command.IsFile(unit)
		}
	default:
		if p.dir, err = os.UserConfigDir(); err != nil {
			return p, fault.Wrap(fault.SetupAnswer, op, err)
		}
		p.dir = filepath.Join(p.dir, "tutti")
	}
	p.Config, p.OrchSecret, p.Passphrase = filepath.Join(p.dir, "tutti.conf"), filepath.Join(p.dir, "orchSecret"),
		filepath.Join(p.dir, "ethPassword")
	if p.packaged {
		p.Credential, p.Passphrase, p.dataDir = true, command.ServicePassphrase, "/var/lib/tutti"
		return p, nil
	}
	if home != "" {
		p.dataDir = filepath.Join(home, ".tutti")
	}
	p.Unit = filepath.Join(p.dir, "tutti.service")
	p.Program, err = os.Executable()
	if err != nil {
		return p, fault.Wrap(fault.SetupAnswer, op, err)
	}
	return p, nil
}

// dataOf returns where a network's state is.
func (p *installation) dataOf(network string) string { return filepath.Join(p.dataDir, network) }

// settlePlace names what depends on the answers: the packages' service has a directory
// of its own, and cannot look into the homes of users.
func (t *initTool) settlePlace() error {
	if t.install.packaged {
		network := t.answers[Network]
		if network == "" {
			network = Offchain
		}
		t.install.DataDir, t.install.KeepOut = t.install.dataOf(network), t.found.OldNode != ""
	}
	return nil
}

// serviceOwner returns the numbers of the user that the packages' service runs as.
func serviceOwner() (uid, gid int, ok bool) {
	u, err := user.Lookup(serviceUser)
	if err != nil {
		return 0, 0, false
	}
	uid, err = strconv.Atoi(u.Uid)
	if err != nil {
		return 0, 0, false
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err == nil
}

// next prints the two commands that come next, and where the dashboard is.
func (t *initTool) next(admin string) {
	var first, second string
	switch p := t.install; {
	case p.packaged:
		first, second = "systemctl enable --now tutti", "tutti_cli status"
	case p.root:
		first, second = "systemctl enable --now "+p.Unit, "tutti_cli status"
	default:
		first, second = "systemctl --user enable --now "+p.Unit, "tutti_cli status"
	}
	title := "Next"
	if t.failing {
		title = "Then"
	}
	t.console.Report("%s", t.console.ReportStyle.Title(title))
	start := "  " + first
	if !t.install.packaged {
		start += "     (without systemd: tutti -config " + t.install.Config + ")"
	}
	t.console.Report("%s", start)
	t.console.Report("%s", "  "+t.afterwards(second)+"     (in a browser: http://"+admin+"/)")
}

// afterwards returns the second command: for an orchestrator the way into the active set.
func (t *initTool) afterwards(status string) string {
	if !t.answers.Earns() {
		return status
	}
	return "tutti_cli orchestrator activate --dry-run"
}
