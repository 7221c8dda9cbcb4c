package http1_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/http1"
)

// envServe has the test program serve canned answers, so that the benchmarks
// measure the client's CPU time alone.
const envServe = "TUTTI_TEST_SERVE"

// serveCanned answers every request until standard input ends: /stream with 64
// chunks in as many writes, anything else with 300 bytes.
func serveCanned() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answerCanned(c)
		}
	}()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func answerCanned(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	plain := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 300\r\n\r\n" + strings.Repeat("x", 300)
	for {
		req := request(r)
		if req == nil {
			return
		}
		if req.URL.Path != "/stream" {
			write(c, plain)
			continue
		}
		write(c, streamed)
		for range 64 {
			write(c, "aa\r\n"+strings.Repeat("x", 170)+"\r\n")
		}
		write(c, "0\r\n\r\n")
	}
}

// cannedServer is the server in a process of its own.
func cannedServer(b *testing.B) string {
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), envServe+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(address)
}

// cpu is the CPU time that this process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkRoundTrip(b *testing.B) {
	url := cannedServer(b)
	transports := []struct {
		name string
		tr   http.RoundTripper
	}{{"h1", transport(b, http1.Options{})}, {"net-http",
		&http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}}}
	for _, path := range []string{"/plain", "/stream"} {
		for _, one := range transports {
			b.Run(path[1:]+"/"+one.name, func(b *testing.B) {
				buffer := make([]byte, 32<<10)
				body := strings.Repeat("m", 500)
				b.ReportAllocs()
				begun := cpu(b)
				for b.Loop() {
					resp, err := one.tr.RoundTrip(post(b, b.Context(), url+path, body))
					if err != nil {
						b.Fatal(err)
					}
					for err == nil {
						_, err = resp.Body.Read(buffer)
					}
					_ = resp.Body.Close()
				}
				b.ReportMetric(float64(cpu(b)-begun)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
