package console

import "golang.org/x/sys/windows"

// hide stops a console from showing what is typed; restore undoes it.
func hide(fd int) (restore func(), err error) {
	var was uint32
	handle := windows.Handle(fd)
	if err := windows.GetConsoleMode(handle, &was); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(handle, was&^windows.ENABLE_ECHO_INPUT); err != nil {
		return nil, err
	}
	return func() { _ = windows.SetConsoleMode(handle, was) }, nil
}
