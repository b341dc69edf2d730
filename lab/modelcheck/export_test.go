package modelcheck

// AblationTable is the table of all ablations.
var AblationTable = ablationTable
