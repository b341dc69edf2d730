package domain

// A Violation is a place where the rows or the messages violate an invariant.
type Violation struct {
	// Invariant is the number of the invariant, I1 to I12, or the name of another
	// invariant that was checked.
	Invariant string `json:"invariant"`
	// Table, PartitionKey and RowKey name the row that shows it, if one row does.
	Table        string `json:"table"`
	PartitionKey string `json:"partitionKey"`
	RowKey       string `json:"rowKey"`
	// Detail says what is wrong, in one clause.
	Detail string `json:"detail"`
	// Repaired says what was done about it. It is empty if nothing was.
	Repaired string `json:"repaired,omitempty"`
}

// String returns the invariant and the detail, for a line of output.
func (b Violation) String() string { return b.Invariant + ": " + b.Detail }
