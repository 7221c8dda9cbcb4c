// Package adminview shows the admin API what the node's parts know: winning tickets, income,
// spending, quotes, the log's end and why no jobs come. It changes no money and decides
// nothing. cmd/tutti gives its views to package server/admin.
//
// Parts holds the roles of a node side by side; cmd/tutti fills it in starting order.
//
// WatchMetrics gives package server/metrics the values that are read at every
// scrape and belong to no single role. They count nothing themselves.
package adminview
