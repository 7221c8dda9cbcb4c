package main

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION; times are in 100 ns.
type accounting struct {
	user, kernel, userOfPeriod, kernelOfPeriod int64
	faults, processes, active, terminated      uint32
}

const basicAccounting = 1

// processorTime returns the CPU time of this process and of its children. Windows
// counts the latter by job only, so the process is put into one of its own if it has none.
func processorTime() (time.Duration, error) {
	spent, err := jobTime()
	if err == nil {
		return spent, nil
	}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = windows.CloseHandle(job) }()
	if err := windows.AssignProcessToJobObject(job, windows.CurrentProcess()); err != nil {
		return 0, err
	}
	return jobTime()
}

// jobTime is that of all processes, ended ones too, of the job that this one is in.
func jobTime() (time.Duration, error) {
	var a accounting
	err := windows.QueryInformationJobObject(0, basicAccounting, uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)),
		nil)
	return time.Duration(a.user+a.kernel) * 100, err
}
