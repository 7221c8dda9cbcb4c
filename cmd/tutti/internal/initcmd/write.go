package initcmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
)

// loadAsNode loads the configuration as the node will, before anything is written.
func (t *initTool) loadAsNode(files []File) (*config.Config, error) {
	in := command.Input(t.nodeFlags())
	in.Environ = nil // what is exported in this shell is not there when the service starts
	in.ReadFile = func(path string) ([]byte, error) {
		for _, f := range files {
			if f.Path == path {
				return []byte(f.Content), nil
			}
		}
		return os.ReadFile(path)
	}
	cfg, _, err := config.Load(in)
	if err != nil {
		return nil, fault.Wrap(fault.SetupAnswer, "check the configuration", err)
	}
	return cfg, nil
}

// nodeFlags returns those with which a command looks at the node as the service will.
func (t *initTool) nodeFlags() []string {
	args := []string{"-config", t.install.Config}
	if p := t.answers[Passphrase]; t.install.Credential && p != "" && !strings.HasPrefix(p, "/") {
		args = append(args, "-ethPassword", t.install.Passphrase)
	}
	return args
}

// write makes the files, after it checked all that prevents that.
func (t *initTool) write(ctx context.Context, files []File) error {
	var replaced []File
	for _, f := range files {
		there, err := os.ReadFile(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && string(there) == f.Content:
		case err != nil:
			return fault.Wrap(fault.SetupUnwritable, "look at "+f.Path, err)
		case f.Path == t.install.Config && Empty(string(there)):
			replaced = append(replaced, f)
		default:
			if err := t.mayReplace(ctx, f.Path); err != nil {
				return err
			}
			replaced = append(replaced, f)
		}
	}
	for _, f := range replaced {
		if err := os.Rename(f.Path, f.Path+t.now().UTC().Format(".old-20060102-150405")); err != nil {
			return fault.Wrap(fault.SetupExists, "keep the old "+f.Path, err)
		}
	}
	var written []string
	for _, f := range files {
		if err := t.writeOne(f); err != nil {
			return fault.WrapWrite(fault.SetupUnwritable, "write "+f.Path, err)
		}
		written = append(written, f.Path)
	}
	t.console.Report("")
	t.console.Report("Written: %s", strings.Join(written, ", "))
	return nil
}

// mayReplace asks, unless it was said before.
func (t *initTool) mayReplace(ctx context.Context, path string) error {
	if t.force {
		return nil
	}
	if t.console.CanAsk() {
		yes, err := t.console.Confirm(ctx, path+" is there with another content. Replace it? The old one is kept next to it.")
		if yes || err != nil {
			return err
		}
	}
	return fault.New(fault.SetupExists, "write the configuration", path)
}

// writeOne writes a file for its owner only; the packages' service reads its
// configuration by its group.
func (t *initTool) writeOne(f File) error {
	dir := filepath.Dir(f.Path)
	mode, uid, gid := fs.FileMode(0o600), -1, -1
	if _, group, ok := serviceOwner(); t.install.packaged && ok && dir == t.install.dir {
		mode, gid = 0o640, group
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".new-*") // for its owner only
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.WriteString(f.Content)
	if err == nil && gid >= 0 {
		err = temp.Chown(uid, gid)
	}
	if err == nil {
		err = temp.Chmod(mode)
	}
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), f.Path); err != nil {
		return err
	}
	return privatefile.SyncDir(dir)
}
