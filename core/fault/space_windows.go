package fault

import "syscall"

// noSpace are ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and ERROR_DISK_QUOTA_EXCEEDED.
var noSpace = []syscall.Errno{39, 112, 1295}
