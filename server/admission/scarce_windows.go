package admission

import "golang.org/x/sys/windows"

func scarceErrors() []error {
	return []error{windows.WSAEMFILE, windows.WSAENOBUFS, windows.WSAEADDRNOTAVAIL}
}
