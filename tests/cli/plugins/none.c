int nothing_of_rattle;
