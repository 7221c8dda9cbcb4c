package verify

// CheckSize is for tests.
var CheckSize = checkSize
