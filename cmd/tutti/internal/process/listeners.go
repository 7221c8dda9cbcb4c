package process

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// Names of listening sockets: what FileDescriptorName= of a socket unit says.
const (
	SocketPublic  = "public"
	SocketGateway = "gateway"
	SocketAdmin   = "admin"
)

// firstSocket is the number of the first file that a service manager hands over.
const firstSocket = 3

// sockets are those that were handed over, by name.
type sockets map[string]net.Listener

// activated takes the sockets that a service manager opened. What it says of them is
// taken out of the environment: it is not for children.
func activated() (sockets, error) {
	pid, count, names := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS"), os.Getenv("LISTEN_FDNAMES")
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		os.Unsetenv(name)
	}
	n, err := strconv.Atoi(count)
	if pid != strconv.Itoa(os.Getpid()) || err != nil || n < 1 {
		return nil, nil
	}
	return listenersOf(firstSocket, n, strings.Split(names, ":"))
}

// listenersOf makes listeners of files. A single socket needs no name.
func listenersOf(first, n int, names []string) (sockets, error) {
	out := sockets{}
	for i := range n {
		name := SocketPublic
		if i < len(names) && (n > 1 || isSocket(names[i])) {
			name = names[i]
		}
		if !isSocket(name) || out[name] != nil {
			return nil, socketFault(fmt.Sprintf("socket %d is called %q; it can be %s, %s or %s, each once", i+1, name,
				SocketPublic, SocketGateway, SocketAdmin), nil)
		}
		f := os.NewFile(uintptr(first+i), name)
		l, err := net.FileListener(f)
		f.Close()
		if err != nil {
			return nil, socketFault(name+" is no listening socket", err)
		}
		out[name] = l
	}
	return out, nil
}

func isSocket(name string) bool {
	return name == SocketPublic || name == SocketGateway || name == SocketAdmin
}

func socketFault(detail string, err error) error {
	return &fault.Fault{Code: fault.SocketUnusable, Op: "take over a socket", Detail: detail, Err: err}
}

// Take returns a socket that was handed over, for the part that serves it; nil where it has
// to open its own.
func (s sockets) Take(name string) net.Listener { return s[name] }
