package admission

import "golang.org/x/sys/windows"

var scarceErrors = []error{windows.WSAEMFILE, windows.WSAENOBUFS}
