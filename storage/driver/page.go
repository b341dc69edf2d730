package driver

// A Range selects rows of one partition by row key.
type Range struct {
	Partition string
	// From is the first row key wanted. To is the first not wanted; an empty To
	// is no upper bound. Neither has to be a valid key.
	From, To string
	Paging
}

// A Scan selects rows by partition key, whole partitions at a time.
type Scan struct {
	// From is the first partition key wanted. To is the first not wanted; an
	// empty To is no upper bound. Neither has to be a valid key.
	From, To string
	Paging
}

// Paging says which page of a selection to read, and how much of each row.
type Paging struct {
	// Limit is the most rows that the page may hold, 1 to MaxPage.
	Limit int
	// Continuation (Azure's continuation token) is empty for the first page, and
	// then the Page.Continuation of the page before, of the same selection. It is
	// opaque, and users never hold one: they hold the cursors of a List.
	// So a backend need not recognise a malformed one, or one of another
	// selection. It may return any error or any page, but it must not panic.
	Continuation string
	// KeysOnly leaves out everything but the keys: properties and ETag are empty.
	KeysOnly bool
	// Select, if not empty, names the only properties to read. A row that lacks one
	// of them is read without it. The ETag is empty. It is not used with
	// KeysOnly.
	Select []string
}

// A Page is a part of a selection. It may hold fewer rows than the limit, even
// none, and still not be the last page.
type Page struct {
	Rows []Entity
	// Continuation selects the next page. It is empty on the last page.
	Continuation string
	// Read is how many rows of the selection the backend looked at to make the page, if
	// Counted. Azure does not tell.
	Read    int
	Counted bool
}

func (p Paging) check() error {
	if p.Limit < 1 || p.Limit > MaxPage {
		return limitError("a page has 1 to %d rows, not %d", MaxPage, p.Limit)
	}
	for _, name := range p.Select {
		if err := checkPropertyName(name); err != nil {
			return err
		}
	}
	return nil
}
