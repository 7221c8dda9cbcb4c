package doctorcmd

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

func (in *inspection) disk(ctx context.Context) (doctor.Disk, error) {
	d := doctor.Disk{Dir: in.cfg.Storage.DataDir}
	if d.Dir == "" {
		d.Err = errors.New("the configuration names no data directory")
		return d, nil
	}
	info, err := os.Stat(d.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		in.missing(&d)
		return d, nil
	case err != nil:
		d.Err = err
		return d, nil
	case !info.IsDir():
		d.Err = errors.New(d.Dir + " is no directory")
		return d, nil
	}
	d.Exists, d.Mode = true, mode(info)
	d.Writable = writable(d.Dir) == nil
	d.RestrictMode = chmod(d.Dir, 0o700)
	in.space(&d, d.Dir)
	for _, name := range in.LockNames {
		if d.Holder = holder(filepath.Join(d.Dir, name)); d.Holder != "" {
			break
		}
	}
	in.database(ctx, &d)
	in.socket(&d)
	return d, nil
}

// missing looks at where the directory would be made.
func (in *inspection) missing(d *doctor.Disk) {
	parent := filepath.Dir(d.Dir)
	for {
		if _, err := os.Stat(parent); err == nil || parent == filepath.Dir(parent) {
			break
		}
		parent = filepath.Dir(parent)
	}
	in.space(d, parent)
	if writable(parent) != nil {
		return
	}
	dir := d.Dir
	d.CreateDir = &doctor.Repair{Do: "make " + dir + " with mode 0700",
		Run: func(context.Context) error { return os.MkdirAll(dir, 0o700) }}
}

func (in *inspection) space(d *doctor.Disk, dir string) {
	v, err := volumeOf(dir)
	if err != nil {
		return
	}
	d.Free, d.Size, d.Kind, d.Remote = v.free, v.size, v.kind, v.kind != ""
	if !d.Remote {
		d.Kind = "a local disk"
	}
}

// volume is the disk that holds files; kind names a network file system, "" for a local one.
type volume struct {
	free, size int64
	kind       string
}

// chmod returns the repair of a mode. The file's directory may be the service's, and root may
// do the repair: no link that the service makes there leads root to another file.
func chmod(path string, mode fs.FileMode) *doctor.Repair {
	return &doctor.Repair{
		Do: fmt.Sprintf("set the mode of %s to %04o", path, mode),
		Run: func(context.Context) error {
			inside, err := os.OpenRoot(filepath.Dir(path))
			if err != nil {
				return err
			}
			return errors.Join(inside.Chmod(filepath.Base(path), mode), inside.Close())
		},
	}
}

// database reads a few pages of the database, without ever writing.
func (in *inspection) database(ctx context.Context, d *doctor.Disk) {
	path := filepath.Join(d.Dir, database.FileName)
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro&_busy_timeout=2000")
	if err == nil {
		defer func() { _ = db.Close() }()
		var tables int
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables)
		d.Database = fmt.Sprintf("%s, %d KiB, %d objects", database.FileName, info.Size()>>10, tables)
	}
	switch {
	case err == nil:
	case strings.Contains(err.Error(), "not a database"), strings.Contains(err.Error(), "malformed"):
		d.Findings = append(d.Findings, doctor.Finding{Code: fault.LedgerDamaged, Detail: path + ": " + err.Error()})
	default:
		d.Findings = append(d.Findings, doctor.Finding{Code: fault.LedgerRefused, Detail: path + ": " + err.Error()})
	}
}

// socket finds an admin socket that no process listens on.
func (in *inspection) socket(d *doctor.Disk) {
	path := in.cfg.Addresses.AdminSocket
	info, err := os.Stat(path)
	if path == "" || err != nil || info.Mode()&fs.ModeSocket == 0 {
		return
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = conn.Close()
		return
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		d.StaleSocket = path
		d.RemoveSocket = &doctor.Repair{Do: "remove " + path, Run: func(context.Context) error { return os.Remove(path) }}
	}
}

// canWrite is why nothing can be written in a directory, nil when it can.
func canWrite(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New(dir + " is no directory")
	}
	if err := writable(dir); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}
