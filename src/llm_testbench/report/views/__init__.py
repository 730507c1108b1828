"""What a report says: one module per report, values in, a document out."""
