package worker

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// pipes are our ends of the child's standard input and output, its stream.
type pipes struct{ in, out *os.File }

func (p pipes) Read(b []byte) (int, error)  { return p.in.Read(b) }
func (p pipes) Write(b []byte) (int, error) { return p.out.Write(b) }

// Close closes both ends; the child's reads end.
func (p pipes) Close() error {
	err := p.out.Close()
	if e := p.in.Close(); err == nil {
		err = e
	}
	return err
}

// command makes the child's command. It speaks over its standard input and output;
// the caller closes the child's ends after the start.
func command(
	o Options, _ isolation, says io.Writer, _ *os.File,
) (cmd *exec.Cmd, ours io.ReadWriteCloser, theirs io.Closer, err error) {
	childIn, out, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("make the worker's pipe: %w", err)
	}
	in, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		out.Close()
		return nil, nil, nil, fmt.Errorf("make the worker's pipe: %w", err)
	}
	cmd = &exec.Cmd{
		Path: o.Path, Args: append([]string{"tutti"}, o.Args...), Env: withSystem(environment(o)), Dir: os.TempDir(),
		Stdin: childIn, Stdout: childOut, Stderr: says,
		SysProcAttr: &syscall.SysProcAttr{
			HideWindow: true,
			// A console's interrupt is for us, and the control process gets the
			// CPU when it needs it.
			CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.BELOW_NORMAL_PRIORITY_CLASS,
		},
		WaitDelay: time.Second,
	}
	return cmd, pipes{in, out}, pipes{childIn, childOut}, nil
}

// withSystem adds what a program of this system does not start without.
func withSystem(env []string) []string {
	for _, name := range []string{"SystemRoot", "SystemDrive", "PATH", "TEMP", "TMP", "ProgramData"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// confine puts the started child into a job that ends with us, may start nothing, and
// is bounded in memory. The job's handle stays open as long as the process does.
func confine(cmd *exec.Cmd, o Options) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("make the worker's job: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
				windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
			ActiveProcessLimit: 1,
		},
	}
	if o.Memory > 0 && !o.GPU {
		limits.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
		limits.ProcessMemoryLimit = uintptr(2*o.Memory + headroom)
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		_ = windows.CloseHandle(job)
		return fmt.Errorf("bound the worker's job: %w", err)
	}
	child, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		_ = windows.CloseHandle(job)
		return fmt.Errorf("open the worker: %w", err)
	}
	defer windows.CloseHandle(child)
	if err := windows.AssignProcessToJobObject(job, child); err != nil {
		_ = windows.CloseHandle(job)
		return fmt.Errorf("put the worker into its job: %w", err)
	}
	return nil
}

// notPermitted is never so: there is one isolation here.
func notPermitted(error) bool { return false }
