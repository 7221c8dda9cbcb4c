package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// outcome is what came of one attempt. Done says that the attack worked.
type outcome struct {
	Done bool
	// Error is why it did not work; Text what was found out.
	Error, Text string
}

func failure(err error) outcome { return outcome{Error: err.Error()} }

// attempts are the attacks by name. What target is depends on the attack.
var attempts = map[string]func(target string) outcome{
	"dial":         dial,
	"dial udp":     dialUDP,
	"dial on link": dialOnLink,
	"resolve":      resolve,
	"routes":       readText("/proc/net/route"),
	"privileges":   readText("/proc/self/status"),
	"read":         func(target string) outcome { return readText(target)("") },
	"write":        write,
	"replace":      replace,
	"own":          own,
	"mount":        mount,
	"device":       device,
	"namespace":    namespace,
	"raw socket":   rawSocket,
	"route":        addRoute,
	"fork":         fork,
	"eat":          bomb,
	"change clock": changeClock,
}

func attempt(what, target string) outcome {
	f, ok := attempts[what]
	if !ok {
		return outcome{Error: "no such attempt"}
	}
	return f(target)
}

const dialTime = time.Second

func dial(target string) outcome {
	c, err := net.DialTimeout("tcp", target, dialTime)
	if err != nil {
		return failure(err)
	}
	_, err = c.Write([]byte("GET / HTTP/1.0\r\n\r\n"))
	_ = c.Close()
	return outcome{Done: err == nil}
}

// dialUDP works if the kernel has a way to send the packet on.
func dialUDP(target string) outcome {
	c, err := net.DialTimeout("udp", target, dialTime)
	if err != nil {
		return failure(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("out")); err != nil {
		return failure(err)
	}
	return outcome{Done: true}
}

// dialOnLink treats target as a neighbor, whatever the routes say: a machine answers
// for all its addresses on all its interfaces.
func dialOnLink(target string) outcome {
	d := net.Dialer{Timeout: dialTime, Control: func(_, _ string, raw syscall.RawConn) (err error) {
		inner := raw.Control(func(fd uintptr) {
			err = errors.Join(
				unix.SetsockoptString(int(fd), unix.SOL_SOCKET, unix.SO_BINDTODEVICE, "eth0"),
				unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DONTROUTE, 1))
		})
		return errors.Join(inner, err)
	}}
	c, err := d.Dial("tcp", target)
	if err != nil {
		return failure(err)
	}
	_ = c.Close()
	return outcome{Done: true}
}

func resolve(target string) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	found, err := net.DefaultResolver.LookupHost(ctx, target)
	if err != nil {
		return failure(err)
	}
	return outcome{Done: true, Text: strings.Join(found, " ")}
}

func readText(path string) func(string) outcome {
	return func(string) outcome {
		b, err := os.ReadFile(path)
		if err != nil {
			return failure(err)
		}
		return outcome{Done: true, Text: string(b)}
	}
}

func write(target string) outcome {
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return failure(err)
	}
	defer f.Close()
	if _, err := f.WriteString("hostile"); err != nil {
		return failure(err)
	}
	return outcome{Done: true}
}

// replace puts other weights in the place of a model's.
func replace(target string) outcome {
	other := filepath.Join(filepath.Dir(target), "other")
	if made := write(other); !made.Done {
		return made
	}
	if err := os.Rename(other, target); err != nil {
		return failure(err)
	}
	return outcome{Done: true}
}

func own(target string) outcome {
	if err := os.Chown(target, 12345, 12345); err != nil {
		return failure(err)
	}
	return outcome{Done: true}
}

func mount(target string) outcome { return of(unix.Mount("tmpfs", target, "tmpfs", 0, "")) }

func device(target string) outcome {
	return of(unix.Mknod(target, unix.S_IFBLK|0o600, int(unix.Mkdev(8, 0))))
}

func namespace(string) outcome { return of(unix.Unshare(unix.CLONE_NEWUSER | unix.CLONE_NEWNS)) }

func changeClock(string) outcome {
	var now unix.Timeval
	if err := unix.Gettimeofday(&now); err != nil {
		return failure(err)
	}
	return of(unix.Settimeofday(&now))
}

func rawSocket(string) outcome {
	_, raw := unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
	_, packet := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
	if raw != nil && packet != nil {
		return failure(errors.Join(raw, packet))
	}
	return outcome{Done: true}
}

// addRoute gives the container a default route of its own, through the gateway
// that target names.
func addRoute(target string) outcome {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return failure(err)
	}
	defer unix.Close(fd)
	return of(setGateway(fd, net.ParseIP(target)))
}

func of(err error) outcome {
	if err != nil {
		return failure(err)
	}
	return outcome{Done: true}
}

// fork starts target processes; it worked if all of them run at once.
func fork(target string) outcome {
	n, _ := strconv.Atoi(target)
	var running []*exec.Cmd
	defer func() {
		for _, c := range running {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}()
	for range n {
		c := exec.Command("/proc/self/exe", "wait")
		if err := c.Start(); err != nil {
			return outcome{Error: err.Error(), Text: strconv.Itoa(len(running))}
		}
		running = append(running, c)
	}
	return outcome{Done: true, Text: strconv.Itoa(len(running))}
}

// bomb has a child take target MiB; it worked if the child lived through it.
func bomb(target string) outcome {
	out, err := exec.Command("/proc/self/exe", "eat", target).CombinedOutput()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.Sys().(syscall.WaitStatus).Signaled() {
		return outcome{Error: ended.Error(), Text: "killed"}
	}
	if err != nil {
		return outcome{Error: err.Error(), Text: string(out)}
	}
	return outcome{Done: true}
}

func eat(mebibytes int) {
	b, err := unix.Mmap(-1, 0, mebibytes<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		os.Exit(3)
	}
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}
